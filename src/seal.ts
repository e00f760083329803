import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/**
 * Secrets are kept sealed with the venue's master key (AES-256-GCM), so that journal, snapshots and backups
 * hold nothing that can sign. Sealed bytes: nonce (12), tag (16), the rest.
 */
export type Seal = { seal(secret: string): Uint8Array; unseal(sealed: Uint8Array): Uint8Array };

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function sealWith(masterKey: Uint8Array): Seal {
  if (masterKey.length !== 32) throw new Error('a master key has 32 bytes');
  return {
    seal: (secret) => {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', masterKey, nonce);
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return new Uint8Array(Buffer.concat([nonce, cipher.getAuthTag(), body]));
    },
    unseal: (sealed) => {
      const cipher = createDecipheriv('aes-256-gcm', masterKey, sealed.subarray(0, NONCE_BYTES));
      cipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const body = sealed.subarray(NONCE_BYTES + TAG_BYTES);
      return new Uint8Array(Buffer.concat([cipher.update(body), cipher.final()]));
    },
  };
}

/** A key pair for a caller: opaque; the secret begins with a letter, so that shells accept it as it is. */
export const newKeyPair = (): { readonly accessKey: string; readonly secret: string } => ({
  accessKey: `rk${randomBytes(15).toString('base64url').replace(/[-_]/g, 'x')}`,
  secret: `rs${randomBytes(30).toString('base64url').replace(/[-_]/g, 'x')}`,
});

/** For callers that may control a `dev` venue. */
export const newToken = (): string => randomBytes(24).toString('base64url');

const BASE_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** 160 bits, as authenticators expect. */
const newTotpSecret = (): string =>
  Array.from(randomBytes(32), (byte) => BASE_32[byte & 31]).join('');

/** Creates and opens keys of traders and operators. */
export const keyMaker = (seal: Seal) => ({ ...seal, newPair: newKeyPair, newTotpSecret });

/** The sealed secrets that a demo venue starts with: of keys and of an authenticator. */
export const demoSecrets = (seal: Seal) => ({
  newKey: () => {
    const { accessKey, secret } = newKeyPair();
    return { accessKey, sealedSecret: seal.seal(secret) };
  },
  newTotp: () => seal.seal(newTotpSecret()),
});
