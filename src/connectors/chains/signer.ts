/**
 * Who holds the keys. The venue asks for a signature over one transaction and checks that it is the wallet's;
 * keys are in no journal and no log. Three holders: a seed in this process (`seedSigner`, from a sealed
 * file), a program (`commandSigner`), a service (`httpSigner`).
 *
 * The program reads one JSON object from its standard input and the service one from a POST:
 *   {"version": 1, "network": "Ethereum", "wallet": "hot" | "account 17", "path": "m/44'/60'/0'/1/0",
 *    "address": "0x...", "to": "0x...", "tokenId": "0x..." | null, "amount": "1000", "nonce": 5,
 *    "unsigned": "0x02...", "digest": "0x..."}
 * `digest` is the Keccak-256 of `unsigned`; a careful signer decodes `unsigned` and applies its own limits.
 * Both answer {"signature": "0x" + r (32 bytes) + s (32) + parity (1: 00 or 01, 1b or 1c)}, the program on
 * standard output with exit code 0. Anything else is a refusal, and is retried later. Signatures should be
 * deterministic (RFC 6979). Otherwise a payment that is signed twice has two ids; both have its nonce, so at
 * most one of them is ever paid, and each is recorded before it is sent.
 */
import { spawn } from 'node:child_process';
import { HDKey } from '@scure/bip32';
import { HttpFailure, type HttpLimits, postJson } from './bounded-http.ts';
import { addressFromPublicKey, bytesOf, type Signature, signatureWith } from './evm-transaction.ts';

export type SigningRequest = {
  readonly version: 1;
  readonly network: string;
  readonly wallet: string;
  readonly path: string;
  readonly address: string;
  readonly to: string;
  readonly tokenId: string | null;
  readonly amount: string;
  readonly nonce: number;
  readonly unsigned: string;
  readonly digest: string;
};

export type Signer = { sign(request: SigningRequest): Promise<Signature> };

/** The signer refused, or returned something that is not a signature. */
export class SignerRefusal extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'SignerRefusal';
  }
}

/** All wallets of an EVM network are below it: deposits at 0/account, the hot wallet at 1/0. */
export const ACCOUNT_PATH = "m/44'/60'/0'";

export const depositPath = (accountNumber: number): readonly [number, number] => [0, accountNumber];
export const HOT_PATH: readonly [number, number] = [1, 0];

/** The public half of a seed: enough to derive every address, but not to pay. */
export const xpubOf = (seed: Uint8Array): string =>
  HDKey.fromMasterSeed(seed).derive(ACCOUNT_PATH).publicExtendedKey;

/** Signs with keys derived from a seed of 16 to 64 bytes (BIP-32). */
export function seedSigner(seed: Uint8Array): Signer {
  const master = HDKey.fromMasterSeed(seed);
  return {
    sign: async ({ path, digest }) => {
      const { privateKey } = master.derive(path);
      if (privateKey === null) throw new SignerRefusal('the path has no private key');
      return signatureWith(privateKey, bytesOf(digest));
    },
  };
}

const ADDRESSES_KEPT = 10_000;

/** Addresses below an extended public key. A private key is refused: it must not be in a configuration. */
export function addressBook(xpub: string): { at(path: readonly [number, number]): string } {
  const root = publicKeyFrom(xpub);
  const branches = [root.deriveChild(0), root.deriveChild(1)] as const;
  // Deriving one takes one to two milliseconds.
  const known = new Map<string, string>();
  return {
    at: ([branch, index]) => {
      const key = `${branch}/${index}`;
      const found = known.get(key);
      if (found !== undefined) return found;
      const { publicKey } = (branches[branch] as HDKey).deriveChild(index);
      const made = addressFromPublicKey(publicKey as Uint8Array);
      if (known.size >= ADDRESSES_KEPT) known.clear();
      known.set(key, made);
      return made;
    },
  };
}

function publicKeyFrom(xpub: string): HDKey {
  if (!/^xpub[1-9A-HJ-NP-Za-km-z]{107}$/.test(xpub)) {
    throw new Error('an extended public key begins with xpub and has 111 characters');
  }
  try {
    return HDKey.fromExtendedKey(xpub);
  } catch {
    throw new Error('the extended public key has a wrong checksum');
  }
}

export function httpSigner({
  url,
  headers,
  ...limits
}: HttpLimits & {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}): Signer {
  return {
    sign: async (request) => {
      try {
        return signatureFrom(await postJson(url, request, limits, headers));
      } catch (error) {
        if (error instanceof HttpFailure) throw new SignerRefusal(error.message);
        throw error;
      }
    },
  };
}

export type CommandSigner = {
  readonly command: string;
  readonly args?: readonly string[];
  readonly timeoutMs: number;
};

const OUTPUT_CHARACTERS_MAX = 4_096;

/** Runs the program once per signature, without a shell and with no environment except PATH. */
export const commandSigner = ({ command, args = [], timeoutMs }: CommandSigner): Signer => ({
  sign: (request) =>
    new Promise((resolve, reject) => {
      const child = spawn(command, args, {
        stdio: ['pipe', 'pipe', 'ignore'],
        env: { PATH: process.env['PATH'] },
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
      });
      let output = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (output.length > OUTPUT_CHARACTERS_MAX) child.kill('SIGKILL');
      });
      child.on('error', () => reject(new SignerRefusal('the signer cannot be started')));
      child.on('close', (code) => {
        if (code !== 0) return reject(new SignerRefusal(`the signer ended with ${code}`));
        try {
          resolve(signatureFrom(JSON.parse(output)));
        } catch {
          reject(new SignerRefusal('the signer answers no signature'));
        }
      });
      // A program that ends without reading closes the pipe; its exit code says more than that error.
      child.stdin.on('error', () => {}).end(JSON.stringify(request));
    }),
});

const SIGNATURE = /^0x([0-9a-f]{64})([0-9a-f]{64})(00|01|1b|1c)$/i;

function signatureFrom(answer: unknown): Signature {
  const { signature } = (answer ?? {}) as { readonly signature?: unknown };
  const found = typeof signature === 'string' ? SIGNATURE.exec(signature) : null;
  if (found === null) throw new SignerRefusal('the signer answers no signature');
  const [, r, s, parity] = found;
  const isOdd = parity === '01' || parity?.toLowerCase() === '1c';
  return { r: BigInt(`0x${r}`), s: BigInt(`0x${s}`), yParity: isOdd ? 1 : 0 };
}
