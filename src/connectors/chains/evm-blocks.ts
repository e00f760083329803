/**
 * Transfers of coin and tokens in the blocks of an EVM chain. Tokens are found by their logs, requested by
 * block hash, so that logs and block belong to one branch. Coin is found in the transactions themselves: coin
 * that a contract pays within its own call is not seen (no node shows it without tracing) and stays on the
 * deposit address until an operator checks its balance.
 */
import { withEvmChecksum } from '../../domain/addresses.ts';
import type { ChainBlock, Transfer } from './chain.ts';
import type { EvmRpc } from './evm-rpc.ts';
import { TRANSFER_TOPIC, topicOf } from './evm-transaction.ts';

const QUESTIONS_AT_ONCE = 4;
/** Coin is the first output of a transaction; its logs follow. */
const COIN_OUTPUT = 0;

export type Observed = {
  /** By address in lower case. */
  readonly accountByAddress: ReadonlyMap<string, number>;
  /** With checksum, by address in lower case. */
  readonly tokenByAddress: ReadonlyMap<string, string>;
  /** Coin from this address with exactly this data is a top-up, not a deposit. */
  readonly hotAddress: string;
  readonly topUpData: string;
  readonly topicsMax: number;
};

type Json = Readonly<Record<string, unknown>>;
type Paid = Pick<Transfer, 'accountNumber' | 'address' | 'tokenId' | 'amount'>;
type Candidate = { readonly txId: string; readonly coin: Paid | undefined };

export async function evmBlocks(
  rpc: EvmRpc,
  observed: Observed,
  { fromHeight, toHeight }: { readonly fromHeight: number; readonly toHeight: number },
): Promise<readonly ChainBlock[]> {
  const heights = Array.from(
    { length: Math.max(0, toHeight - fromHeight + 1) },
    (_, i) => fromHeight + i,
  );
  return inTurns(heights, (height) => evmBlock(rpc, observed, height));
}

async function evmBlock(rpc: EvmRpc, observed: Observed, height: number): Promise<ChainBlock> {
  const answer = await rpc.ask('eth_getBlockByNumber', [quantityOf(height), true]);
  if (answer === undefined) throw rpc.failure('changed', `block ${height} is there no more`);
  const block = rpc.record(answer, 'a block');
  const hash = rpc.hash(block['hash'], 'the hash of a block');
  if (rpc.count(block['number'], 'the height of a block') !== height) {
    throw rpc.failure('malformed', `asked for block ${height}, got another`);
  }
  const coins = coinPayments(rpc, observed, rpc.records(block['transactions'], 'transactions'));
  const tokens = await tokenPayments(rpc, observed, hash);
  const txIds = new Set([...coins.keys(), ...tokens]);
  const candidates = [...txIds].map((txId) => ({ txId, coin: coins.get(txId) }));
  const found = await inTurns(candidates, (candidate) =>
    transfersOf(rpc, observed, candidate, { height, hash }),
  );
  const parentHash = rpc.hash(block['parentHash'], 'the hash of a parent');
  return { height, hash, parentHash, transfers: found.flat() };
}

function coinPayments(
  rpc: EvmRpc,
  observed: Observed,
  transactions: readonly Json[],
): ReadonlyMap<string, Paid> {
  const found = new Map<string, Paid>();
  for (const { to, from, value, input, hash } of transactions) {
    // A transaction that creates a contract pays nobody.
    if (typeof to !== 'string') continue;
    const accountNumber = observed.accountByAddress.get(to.toLowerCase());
    if (accountNumber === undefined) continue;
    const isTopUp =
      typeof from === 'string' &&
      from.toLowerCase() === observed.hotAddress.toLowerCase() &&
      input === observed.topUpData;
    const amount = rpc.quantity(value, 'an amount');
    if (isTopUp || amount === 0n) continue;
    const paid = { accountNumber, address: withEvmChecksum(to), tokenId: undefined, amount };
    found.set(rpc.hash(hash, 'the hash of a transaction'), paid);
  }
  return found;
}

async function tokenPayments(rpc: EvmRpc, observed: Observed, hash: string): Promise<Set<string>> {
  if (observed.tokenByAddress.size === 0 || observed.accountByAddress.size === 0) return new Set();
  const topics =
    observed.accountByAddress.size > observed.topicsMax
      ? [TRANSFER_TOPIC]
      : [TRANSFER_TOPIC, null, [...observed.accountByAddress.keys()].map(topicOf)];
  const filter = { blockHash: hash, address: [...observed.tokenByAddress.values()], topics };
  const logs = rpc.records(await rpc.ask('eth_getLogs', [filter]), 'logs');
  return new Set(
    logs
      .filter((log) => paidBy(rpc, observed, log) !== undefined)
      .map(({ transactionHash }) => rpc.hash(transactionHash, 'the hash of a transaction')),
  );
}

/** From the receipt, which says whether it succeeded and numbers its logs the same in every block. */
async function transfersOf(
  rpc: EvmRpc,
  observed: Observed,
  { txId, coin }: Candidate,
  { height, hash }: { readonly height: number; readonly hash: string },
): Promise<Transfer[]> {
  const answer = await rpc.ask('eth_getTransactionReceipt', [txId]);
  if (answer === undefined) throw rpc.failure('changed', `transaction ${txId} has no receipt`);
  const receipt = rpc.record(answer, 'a receipt');
  if (rpc.hash(receipt['blockHash'], 'the block of a receipt') !== hash) {
    throw rpc.failure('changed', `transaction ${txId} is in another block`);
  }
  if (rpc.quantity(receipt['status'], 'the status of a receipt') !== 1n) return [];
  const place = { txId, height, blockHash: hash };
  const found = rpc.records(receipt['logs'], 'logs of a receipt').flatMap((log, index) => {
    const paid = paidBy(rpc, observed, log);
    return paid === undefined ? [] : [{ ...place, output: index + 1, ...paid }];
  });
  return coin === undefined ? found : [{ ...place, output: COIN_OUTPUT, ...coin }, ...found];
}

function paidBy(rpc: EvmRpc, observed: Observed, log: Json): Paid | undefined {
  const { address, topics, data, removed } = log;
  if (removed === true || typeof address !== 'string' || !Array.isArray(topics)) return undefined;
  const tokenId = observed.tokenByAddress.get(address.toLowerCase());
  const [topic, , receiver] = topics as readonly unknown[];
  if (tokenId === undefined || topic !== TRANSFER_TOPIC || topics.length !== 3) return undefined;
  if (typeof receiver !== 'string' || receiver.length !== 66) return undefined;
  const to = `0x${receiver.slice(26)}`.toLowerCase();
  const accountNumber = observed.accountByAddress.get(to);
  if (accountNumber === undefined) return undefined;
  const amount = rpc.quantity(data, 'the amount of a transfer');
  // Zero transfers are sent to put look-alike addresses into histories.
  if (amount === 0n) return undefined;
  return { accountNumber, address: withEvmChecksum(to), tokenId, amount };
}

export const quantityOf = (value: number | bigint): string => `0x${value.toString(16)}`;

/** Runs a few at a time; results in order. */
async function inTurns<Item, Result>(
  items: readonly Item[],
  ask: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += QUESTIONS_AT_ONCE) {
    results.push(...(await Promise.all(items.slice(start, start + QUESTIONS_AT_ONCE).map(ask))));
  }
  return results;
}
