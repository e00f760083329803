import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

export type TlsFiles = { readonly keyFile: string; readonly certFile: string };
export type TlsPair = { readonly key: string; readonly cert: string };

/** Key and certificate, read and checked to match; the refusal names the file and what is wrong with it. */
export function readTls({ keyFile, certFile }: TlsFiles): TlsPair {
  const pair = { key: textIn('keyFile', keyFile), cert: textIn('certFile', certFile) };
  try {
    createSecureContext(pair);
  } catch (cause) {
    const { message } = cause as Error;
    const reason = REASONS.find(([words]) => message.includes(words))?.[1] ?? message;
    throw new Error(`tls: keyFile ${keyFile} and certFile ${certFile} do not serve: ${reason}`);
  }
  return pair;
}

const ENCRYPTED =
  'the key is encrypted; a venue that starts by itself needs it without a passphrase';
/** What the library says, and what it means. */
const REASONS: readonly (readonly [string, string])[] = [
  ['no start line', 'one of them is no PEM file of its kind; are they swapped?'],
  ['key values mismatch', 'the key is not that of the certificate'],
  ['bad decrypt', ENCRYPTED],
  ['interrupted or cancelled', ENCRYPTED],
];

function textIn(member: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`tls: ${member} ${file} cannot be read: ${(cause as Error).message}`);
  }
}
