import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Chain, HOT, type Payment } from './chain.ts';
import { expectFault } from './chain-stage.fixture.ts';
import { evmChain } from './evm-chain.ts';
import { bytesOf, hexOf, keccak, type signatureWith } from './evm-transaction.ts';
import { openChain } from './open-chain.ts';
import { readSeedFile, type SeedSeal, writeSeedFile } from './seed-file.ts';
import { addressBook, HOT_PATH, type Signer, seedSigner, xpubOf } from './signer.ts';

/** Bytes made by viem 2.57.1: addresses of a seed, and signed transactions of its hot wallet. */
const vectors = JSON.parse(readFileSync('test/chains/evm-vectors.json', 'utf8')) as {
  readonly seedHex: string;
  readonly xpub: string;
  readonly hot: string;
  readonly addresses: readonly (readonly [number, string])[];
  readonly transactions: readonly Vector[];
};
type Vector = Readonly<
  Record<'chainId' | 'amount' | 'tip' | 'price' | 'gas' | 'to' | 'raw' | 'txId', string>
> & { readonly nonce: number; readonly tokenId: string | null };

const SEED = bytesOf(`0x${vectors.seedHex}`);
const folder = mkdtempSync(join(tmpdir(), 'rialto-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));

const chainWith = (signer: Signer, chainId = 1n, tokenIds: readonly string[] = []): Chain =>
  evmChain({
    network: 'Ethereum',
    chainId,
    node: { url: 'http://127.0.0.1:1' },
    xpub: vectors.xpub,
    signer,
    confirmations: 1,
    tokens: tokenIds.map((tokenId) => ({ tokenId, decimals: 6 })),
    pricePerGasMax: 2n ** 64n,
    nowMs: () => 0,
  });
const paymentFrom = (vector: Vector): Payment => ({
  from: HOT,
  to: vector.to,
  tokenId: vector.tokenId ?? undefined,
  amount: BigInt(vector.amount),
  nonce: vector.nonce,
  fee: {
    unitsMax: BigInt(vector.gas),
    pricePerUnit: BigInt(vector.price),
    tipPerUnit: BigInt(vector.tip),
  },
});
const [FIRST] = vectors.transactions as readonly [Vector];

test('addresses and signed bytes are those of another library', async () => {
  expect(xpubOf(SEED)).toBe(vectors.xpub);
  expect(addressBook(vectors.xpub).at(HOT_PATH)).toBe(vectors.hot);
  for (const [accountNumber, address] of vectors.addresses) {
    expect(chainWith(seedSigner(SEED)).depositAddress(accountNumber)).toEqual({ address });
  }
  expect(vectors.transactions.length).toBeGreaterThan(10);
  for (const vector of vectors.transactions) {
    const tokens = vector.tokenId === null ? [] : [vector.tokenId];
    const chain = chainWith(seedSigner(SEED), BigInt(vector.chainId), tokens);
    const { txId, rawBytes } = await chain.sign(paymentFrom(vector));
    expect({ txId, raw: hexOf(rawBytes) }).toEqual({ txId: vector.txId, raw: vector.raw });
  }
});

test('an extended key that is private, misspelt or no key is refused', () => {
  const misspelt = `${vectors.xpub.slice(0, -1)}${vectors.xpub.endsWith('q') ? 'r' : 'q'}`;
  for (const key of ['', 'xpub', vectors.xpub.replace('xpub', 'xprv'), misspelt]) {
    expect(() => addressBook(key)).toThrow('extended public key');
  }
});

/** An external program that signs with the vectors' hot key and records its requests. */
const program = (body: string): string => {
  const file = join(folder, `signer-${Math.abs(hashOf(body))}.mjs`);
  writeFileSync(file, `#!${process.execPath}\n${body}`);
  chmodSync(file, 0o700);
  return file;
};
const hashOf = (text: string): number =>
  [...text].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) | 0, 7);

test('a program signs: it reads the request and answers the signature', async () => {
  const { r, s, yParity } = await signatureOf(FIRST);
  const signature = `0x${word(r)}${word(s)}${yParity === 0 ? '1b' : '1c'}`;
  const requestFile = join(folder, 'request.json');
  const command = program(`
    import { readFileSync, writeFileSync } from 'node:fs';
    writeFileSync(${JSON.stringify(requestFile)}, readFileSync(0));
    console.log(JSON.stringify({ signature: ${JSON.stringify(signature)} }));
  `);
  const chain = await opened({ command, timeoutMs: 60_000 });
  const { rawBytes } = await chain.sign(paymentFrom(FIRST));
  expect(hexOf(rawBytes)).toBe(FIRST.raw);
  const request = JSON.parse(readFileSync(requestFile, 'utf8'));
  expect(request).toMatchObject({
    version: 1,
    network: 'Ethereum',
    wallet: 'hot',
    path: "m/44'/60'/0'/1/0",
    address: vectors.hot,
    to: FIRST.to,
    tokenId: null,
    amount: FIRST.amount,
    nonce: FIRST.nonce,
  });
  expect(hexOf(keccak(bytesOf(request.unsigned)))).toBe(request.digest);
});

test('a program that fails, says nothing or says something else signs nothing', async () => {
  const bodies = [
    'process.exit(1)',
    '',
    'console.log("{}")',
    'console.log(JSON.stringify({ signature: "0x12" }))',
    'console.log("x".repeat(1_000_000))',
  ];
  for (const command of ['/nonexistent/signer', ...bodies.map(program)]) {
    const chain = await opened({ command, timeoutMs: 60_000 });
    await expectFault(chain.sign(paymentFrom(FIRST)), 'signer');
  }
});

test('a service signs', async () => {
  const { r, s, yParity } = await signatureOf(FIRST);
  let answer: object = { signature: `0x${word(r)}${word(s)}0${yParity}` };
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify(answer)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sign`;
    const chain = await opened({ url, timeoutMs: 60_000 });
    expect(hexOf((await chain.sign(paymentFrom(FIRST))).rawBytes)).toBe(FIRST.raw);
    answer = { error: 'above my limit' };
    await expectFault(chain.sign(paymentFrom(FIRST)), 'signer');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('a sealed file holds the seed: for its owner alone, made once, opened by its master key', async () => {
  const file = join(folder, 'wallet.json');
  writeSeedFile(file, seal, vectors.seedHex);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).not.toContain(vectors.seedHex);
  expect(readSeedFile(file, seal)).toEqual(SEED);
  expect(() => writeSeedFile(file, seal)).toThrow('never replaced');
  const other = { ...seal, unseal: () => assertFails() };
  expect(() => readSeedFile(file, other)).toThrow('another master key');

  const chain = await opened({ file });
  expect(hexOf((await chain.sign(paymentFrom(FIRST))).rawBytes)).toBe(FIRST.raw);
  const fresh = join(folder, 'fresh.json');
  writeSeedFile(fresh, seal);
  expect(readSeedFile(fresh, seal)).toHaveLength(32);
  await expect(opened({ file: fresh })).rejects.toThrow('not that of the xpub');
  expect(() => writeSeedFile(join(folder, 'no'), seal, 'abc')).toThrow('16 to 64 bytes');
  for (const text of ['', '{}', '{"format":2,"sealed":""}']) {
    writeFileSync(fresh, text);
    expect(() => readSeedFile(fresh, seal)).toThrow(fresh);
  }
});

test('the cryptography of a chain is loaded with the first EVM network and not before', () => {
  const seen = new Set<string>();
  const packagesOf = (file: string): string[] => {
    if (seen.has(file)) return [];
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    // A type-only import does not exist at run time.
    const targets = [...text.matchAll(/^(?:import (?!type )|\} )[^']*from '([^']+)'/gm)].map(
      ([, at]) => at,
    );
    return targets.flatMap((target = '') =>
      target.startsWith('.') ? packagesOf(join(dirname(file), target)) : [target],
    );
  };
  const packages = packagesOf('src/connectors/chains/open-chain.ts');
  expect(seen.size).toBeGreaterThan(4);
  expect(packages.filter((name) => !name.startsWith('node:'))).toEqual([]);
});

test('a signer outside needs its xpub told, and a simulated chain needs no keys', async () => {
  await expect(opened({ command: 'x', timeoutMs: 1 }, {})).rejects.toThrow('xpub told');
  const chain = await openChain(
    { chain: 'simulated', network: 'Base', confirmations: 2 },
    { seal, nowMs: () => 0 },
  );
  expect(chain).toMatchObject({ network: 'Base', confirmations: 2 });
});

const opened = (
  keys: Extract<Parameters<typeof openChain>[0], { chain: 'evm' }>['keys'],
  configured: { readonly xpub?: string } = { xpub: vectors.xpub },
): Promise<Chain> =>
  openChain(
    {
      chain: 'evm',
      network: 'Ethereum',
      chainId: BigInt(FIRST.chainId),
      node: { url: 'http://127.0.0.1:1' },
      confirmations: 1,
      keys,
      ...configured,
    },
    { seal, nowMs: () => 0 },
  );

/** Stands in for the venue's seal, which has its own tests. */
const seal: SeedSeal = {
  seal: (secret) => new Uint8Array(Buffer.from(secret, 'utf8').map((byte) => byte ^ 0x5a)),
  unseal: (sealed) => sealed.map((byte) => byte ^ 0x5a),
};
const assertFails = (): never => {
  throw new Error('unable to authenticate data');
};

const word = (value: bigint): string => value.toString(16).padStart(64, '0');

async function signatureOf(vector: Vector) {
  let found: ReturnType<typeof signatureWith> | undefined;
  const spy: Signer = {
    sign: async (request) => {
      found = await seedSigner(SEED).sign(request);
      return found;
    },
  };
  await chainWith(spy, BigInt(vector.chainId)).sign(paymentFrom(vector));
  if (found === undefined) throw new Error('nothing was signed');
  return found;
}
