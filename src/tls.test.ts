import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readTls } from './tls.ts';

const folder = mkdtempSync(join(tmpdir(), 'rialto-tls-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pem = (name: string): string => `test/support/tls/${name}.pem`;

test('a pair that does not serve is refused with what is wrong, in words', () => {
  const encrypted = join(folder, 'key.pem');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const how = { type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' } as const;
  writeFileSync(encrypted, privateKey.export(how));
  const rows: readonly (readonly [string, string, string])[] = [
    [pem('cert-1'), pem('key-1'), 'one of them is no PEM file of its kind; are they swapped?'],
    [pem('key-1'), pem('cert-2'), 'the key is not that of the certificate'],
    [encrypted, pem('cert-1'), 'the key is encrypted; a venue that starts by itself needs it'],
  ];
  for (const [keyFile, certFile, reason] of rows) {
    expect(() => readTls({ keyFile, certFile })).toThrow(
      `tls: keyFile ${keyFile} and certFile ${certFile} do not serve: ${reason}`,
    );
  }
  expect(readTls({ keyFile: pem('key-1'), certFile: pem('cert-1') }).cert).toContain('CERTIFICATE');
});
