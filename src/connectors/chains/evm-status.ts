/**
 * The status of a payment on an EVM chain. Funds are returned to a user because of this result, so nothing is
 * concluded from an absence: a payment is confirmed or reverted by a receipt whose block is in the chain, and
 * given up only when another transaction with its nonce is found in a block. Nodes that lag, prune or
 * disagree therefore delay a result, they never reverse it.
 */
import {
  confirmationsAt,
  type Inclusion,
  type SentPayment,
  type TransactionStatus,
} from './chain.ts';
import { quantityOf } from './evm-blocks.ts';
import type { EvmRpc } from './evm-rpc.ts';
import { TRANSFER_TOPIC, topicOf } from './evm-transaction.ts';

type Json = Readonly<Record<string, unknown>>;
type StatusQuery = {
  readonly rpc: EvmRpc;
  readonly address: string;
  readonly sent: SentPayment;
  readonly headHeight: number;
  readonly confirmations: number;
};

export async function evmStatus(query: StatusQuery): Promise<TransactionStatus> {
  const { rpc, address, sent, headHeight } = query;
  for (const txId of sent.txIds) {
    const receipt = await rpc.ask('eth_getTransactionReceipt', [txId]);
    if (receipt !== undefined) return statusFrom(query, txId, rpc.record(receipt, 'a receipt'));
  }
  if ((await nonceAt(rpc, address, headHeight)) > sent.nonce) return foreignUse(query);
  for (const txId of sent.txIds) {
    if ((await rpc.ask('eth_getTransactionByHash', [txId])) !== undefined) {
      return { kind: 'pending' };
    }
  }
  return { kind: 'unknown' };
}

export const nonceAt = async (rpc: EvmRpc, address: string, height: number): Promise<number> =>
  rpc.count(await rpc.ask('eth_getTransactionCount', [address, quantityOf(height)]), 'a nonce');

async function statusFrom(
  query: StatusQuery,
  txId: string,
  receipt: Json,
): Promise<TransactionStatus> {
  const inclusion = await inclusionFrom(query, txId, receipt);
  return { kind: hasMoved(query, receipt) ? 'confirmed' : 'reverted', ...inclusion };
}

async function inclusionFrom(query: StatusQuery, txId: string, receipt: Json): Promise<Inclusion> {
  const { rpc, headHeight } = query;
  const height = rpc.count(receipt['blockNumber'], 'the height of a receipt');
  const hash = rpc.hash(receipt['blockHash'], 'the block of a receipt');
  const block = await rpc.ask('eth_getBlockByNumber', [quantityOf(height), false]);
  const canonical = block === undefined ? undefined : rpc.record(block, 'a block')['hash'];
  if (canonical === undefined || rpc.hash(canonical, 'the hash of a block') !== hash) {
    throw rpc.failure('changed', `transaction ${txId} is in a block that was replaced`);
  }
  const confirmations = confirmationsAt(height, headHeight);
  const isFinal = confirmations >= query.confirmations;
  return { txId, height, hash, cost: costOf(rpc, receipt), confirmations, isFinal };
}

/** Some layer 2 chains report the part paid to layer 1 as `l1Fee`. */
function costOf(rpc: EvmRpc, receipt: Json): bigint {
  const used = rpc.quantity(receipt['gasUsed'], 'the gas of a receipt');
  const price = rpc.quantity(receipt['effectiveGasPrice'], 'the price of a receipt');
  const { l1Fee } = receipt;
  const added = l1Fee === undefined || l1Fee === null ? 0n : rpc.quantity(l1Fee, 'the l1Fee');
  return used * price + added;
}

/** A token may return "false" instead of failing: only its log proves that funds have moved. */
function hasMoved({ rpc, address, sent: { draft } }: StatusQuery, receipt: Json): boolean {
  if (rpc.quantity(receipt['status'], 'the status of a receipt') !== 1n) return false;
  if (draft.tokenId === undefined) return true;
  return rpc.records(receipt['logs'], 'logs of a receipt').some((log) => {
    const { address: token, topics, data } = log;
    if (typeof token !== 'string' || !Array.isArray(topics)) return false;
    if (token.toLowerCase() !== draft.tokenId?.toLowerCase() || topics[0] !== TRANSFER_TOPIC) {
      return false;
    }
    const [, from, to] = topics as readonly unknown[];
    if (from !== topicOf(address) || to !== topicOf(draft.to)) return false;
    return rpc.quantity(data, 'the amount of a transfer') === draft.amount;
  });
}

/** Finds the block in which the nonce was used, by binary search, and the transaction in it. */
async function foreignUse(query: StatusQuery): Promise<TransactionStatus> {
  const { rpc, address, sent, headHeight } = query;
  try {
    let low = Math.min(sent.sinceHeight, headHeight);
    let high = headHeight;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((await nonceAt(rpc, address, middle)) > sent.nonce) high = middle;
      else low = middle + 1;
    }
    const answer = await rpc.ask('eth_getBlockByNumber', [quantityOf(low), true]);
    const block = rpc.record(answer, 'a block');
    const found = rpc
      .records(block['transactions'], 'transactions')
      .find(
        ({ from, nonce }) =>
          typeof from === 'string' &&
          from.toLowerCase() === address.toLowerCase() &&
          rpc.count(nonce, 'a nonce') === sent.nonce,
      );
    if (found === undefined) return { kind: 'nonce-used', reason: `not found in block ${low}` };
    return foreignFrom(query, rpc.hash(found['hash'], 'the hash of a transaction'));
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { kind: 'nonce-used', reason: (error as Error).message };
  }
}

async function foreignFrom(query: StatusQuery, txId: string): Promise<TransactionStatus> {
  const { rpc, sent } = query;
  const receipt = await rpc.ask('eth_getTransactionReceipt', [txId]);
  if (receipt === undefined) throw rpc.failure('changed', `transaction ${txId} has no receipt`);
  const answer = rpc.record(receipt, 'a receipt');
  // It is one of ours after all: its receipt was missing a moment ago.
  if (sent.txIds.includes(txId)) return statusFrom(query, txId, answer);
  return { kind: 'foreign', ...(await inclusionFrom(query, txId, answer)) };
}

/** A node without the state of old blocks refuses the request. */
const isRefusal = (error: unknown): boolean =>
  error instanceof Error && (error as { readonly fault?: unknown }).fault === 'refused';
