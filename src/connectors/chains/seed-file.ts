/**
 * The seed of the wallets in a file, sealed with the venue's master key. It is created once and never
 * overwritten: losing it loses the funds of the wallets, so back it up before it is used.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

export type SeedSeal = {
  seal(secret: string): Uint8Array;
  unseal(sealed: Uint8Array): Uint8Array;
};

const FORMAT = 1;
const SEED_BYTES = 32;
const SEED = /^([0-9a-f]{2}){16,64}$/i;

/** Refuses to replace a file. Generates a seed if none is given. */
export function writeSeedFile(file: string, seal: SeedSeal, seedHex?: string): void {
  const hex = seedHex ?? randomBytes(SEED_BYTES).toString('hex');
  if (!SEED.test(hex)) throw new Error('a seed is 16 to 64 bytes in hexadecimal digits');
  if (existsSync(file)) throw new Error(`${file} is there already: a seed is never replaced`);
  const sealed = Buffer.from(seal.seal(hex)).toString('base64');
  const text = `${JSON.stringify({ format: FORMAT, sealed })}\n`;
  writeFileSync(file, text, { flag: 'wx', mode: 0o600, flush: true });
}

export function readSeedFile(file: string, seal: SeedSeal): Uint8Array {
  const { format, sealed } = contentOf(file);
  if (format !== FORMAT || typeof sealed !== 'string') {
    throw new Error(`${file} holds no seed of format ${FORMAT}`);
  }
  const hex = Buffer.from(unsealed(file, seal, sealed)).toString('utf8');
  if (!SEED.test(hex)) throw new Error(`${file} holds no seed`);
  return new Uint8Array(Buffer.from(hex, 'hex'));
}

function contentOf(file: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
  } catch {
    throw new Error(
      `${file} ${existsSync(file) ? 'is damaged' : 'is missing'}: it has the keys of the wallets; bring it back from a copy`,
    );
  }
}

function unsealed(file: string, seal: SeedSeal, sealed: string): Uint8Array {
  try {
    return seal.unseal(new Uint8Array(Buffer.from(sealed, 'base64')));
  } catch {
    throw new Error(`${file} does not open: it is damaged or of another master key`);
  }
}
