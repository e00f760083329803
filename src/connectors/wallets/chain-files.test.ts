import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { keptChain } from './chain-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'chain-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

const SETTINGS = { network: 'Ethereum', confirmations: 3 };

test('a damaged file of a chain is refused with its name, and with what to do', async () => {
  const file = join(folder, 'chains', 'Ethereum.json');
  const chain = keptChain(file, SETTINGS);
  chain.mine(2);
  await chain.health();
  const whole = readFileSync(file, 'utf8');
  expect(keptChain(file, SETTINGS).height).toBe(chain.height);
  for (const text of [
    '',
    'x',
    'null',
    whole.slice(0, -9),
    whole.replace('digest":"', 'digest":"0'),
  ]) {
    writeFileSync(file, text);
    expect(() => keptChain(file, SETTINGS), text).toThrow(
      `${file}: the saved chain is damaged; bring the file back from a copy, or remove it: `,
    );
  }
  rmSync(file);
  expect(keptChain(file, SETTINGS).height).toBeLessThan(chain.height);
});
