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
    throw new Error(`tls: keyFile ${keyFile} and certFile ${certFile} do not serve: ${message}`);
  }
  return pair;
}

function textIn(member: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`tls: ${member} ${file} cannot be read: ${(cause as Error).message}`);
  }
}
