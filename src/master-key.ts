import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { textIn } from './journal/file-faults.ts';
import { makeFolder } from './journal/files.ts';

/** The location of the key that opens the venue's secrets. */
export type KeyPlace = {
  readonly masterKeyFile: string;
  /** RIALTO_MASTER_KEY; takes precedence. */
  readonly masterKeyText: string | undefined;
};

/** Creates a key for a new venue only: a new key could not open secrets sealed with another. */
export function masterKeyOf(place: KeyPlace): Uint8Array {
  return givenMasterKey(place) ?? newMasterKey(place.masterKeyFile);
}

/** Undefined if there is none yet. */
export function givenMasterKey({ masterKeyFile, masterKeyText }: KeyPlace): Uint8Array | undefined {
  if (masterKeyText !== undefined) return masterKeyFromText(masterKeyText, 'RIALTO_MASTER_KEY');
  if (!existsSync(masterKeyFile)) return undefined;
  return masterKeyFromText(textIn(masterKeyFile), masterKeyFile);
}

/** Keeps the old key under another name, in case it turns out to be the right one. */
export function replaceMasterKey({ masterKeyFile, masterKeyText }: KeyPlace): void {
  if (masterKeyText !== undefined) return;
  if (existsSync(masterKeyFile)) renameSync(masterKeyFile, `${masterKeyFile}.old`);
  newMasterKey(masterKeyFile);
}

/** Hexadecimal in a file that only its owner may read. */
function newMasterKey(file: string): Uint8Array {
  const key = randomBytes(32);
  makeFolder(dirname(file));
  writeFileSync(file, `${key.toString('hex')}\n`, { mode: 0o600, flush: true });
  return new Uint8Array(key);
}

function masterKeyFromText(text: string, where: string): Uint8Array {
  const hex = text.trim();
  if (!/^[0-9a-f]{64}$/i.test(hex)) {
    // Never what it is: it may be the key, with a character too many.
    const found = hex.length === 64 ? 'other characters, too' : `${hex.length} characters`;
    throw new Error(`${where}: a master key is 64 hexadecimal digits; this has ${found}`);
  }
  return new Uint8Array(Buffer.from(hex, 'hex'));
}
