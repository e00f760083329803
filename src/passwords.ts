import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PasswordHashes } from './api/server.ts';

/**
 * Passwords are stored as a memory-hard hash (argon2id), which is also sealed. At most two are computed at a
 * time: each takes 19 MB and some 30 ms of a core, and sign-ins must not starve trading.
 */
type Cost = { readonly memoryKib: number; readonly passes: number };
const COST: Cost = { memoryKib: 19_456, passes: 2 };
const AT_ONCE = 2;
const WAITING_MAX = 32;
const TAG_BYTES = 32;
const SALT_BYTES = 16;

export function createPasswords(cost: Cost = COST): PasswordHashes {
  let running = 0;
  const waiting: (() => void)[] = [];
  const nobody = textOf(cost, randomBytes(SALT_BYTES), randomBytes(TAG_BYTES));

  async function limited(work: () => Promise<Buffer>): Promise<Buffer | undefined> {
    if (running >= AT_ONCE) {
      if (waiting.length >= WAITING_MAX) return undefined;
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      // The next waiting one gets the slot.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  }

  return {
    hash: async (password) => {
      const salt = randomBytes(SALT_BYTES);
      const tag = await limited(() => tagOf(password, salt, cost));
      return tag === undefined ? undefined : textOf(cost, salt, tag);
    },
    verify: async (password, hash) => {
      const { kept, salt, tag } = read(hash ?? nobody);
      const found = await limited(() => tagOf(password, salt, kept));
      return found === undefined ? undefined : timingSafeEqual(found, tag) && hash !== undefined;
    },
  };
}

const textOf = ({ memoryKib, passes }: Cost, salt: Buffer, tag: Buffer): string =>
  `argon2id$${memoryKib}$${passes}$${salt.toString('base64')}$${tag.toString('base64')}`;

function read(hash: string): { readonly kept: Cost; readonly salt: Buffer; readonly tag: Buffer } {
  const [name, memory, passes, salt, tag] = hash.split('$');
  if (name !== 'argon2id' || salt === undefined || tag === undefined) {
    throw new Error('a password is kept in a form that this version does not know');
  }
  return {
    kept: { memoryKib: Number(memory), passes: Number(passes) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
}

const tagOf = (password: string, salt: Buffer, { memoryKib, passes }: Cost): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // The same text typed on another keyboard is the same password.
    const message = password.normalize('NFKC');
    const settings = { message, nonce: salt, parallelism: 1, tagLength: TAG_BYTES };
    argon2('argon2id', { ...settings, memory: memoryKib, passes }, (error, tag) =>
      error === null ? resolve(tag) : reject(error),
    );
  });
