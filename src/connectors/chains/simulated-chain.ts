/**
 * The chain for demos and tests: in the process, deterministic, with blocks on demand and a node that can be
 * made to be down, slow, behind or of another chain. Its state is saved as text and restored from it, so that
 * a restarted venue finds its chain again.
 *
 * Addresses are written as on the network that it simulates, with their checksums. There are no keys: any
 * caller can pay from every wallet. A "signed" transaction is its text.
 */
import { createHash } from 'node:crypto';
import { addressFault, addressFrom } from '../../domain/addresses.ts';
import { assert } from '../../domain/assert.ts';
import {
  ACCOUNT_NUMBER_MAX,
  ADDRESS_FAULTS,
  type AddressFault,
  type Chain,
  type ChainBlock,
  type ChainFault,
  type ChainHealth,
  ChainUnavailable,
  confirmationsAt,
  type Fee,
  HOT,
  type Inclusion,
  type Payment,
  type PaymentDraft,
  type SentPayment,
  type SignedTransaction,
  type TokenId,
  type TransactionStatus,
  type Transfer,
  type Wallet,
} from './chain.ts';
import { bumpedFee } from './fees.ts';
import {
  type NodeState,
  type Receipt,
  type SimulatedBlock,
  SimulatedNode,
  type SimulatedTransaction,
  sha256,
} from './simulated-node.ts';
import { DEFAULT_PRICES, type SimulatedSettings } from './simulated-settings.ts';
import { stateFromText, stateToText } from './simulated-state.ts';

/** What is wrong with the node; empty if nothing is. */
export type NodeTrouble = {
  readonly fault?: Extract<ChainFault, 'down' | 'slow' | 'wrong-chain'>;
  /** It hides its newest blocks. */
  readonly behindBlocks?: number;
};

export type SimulatedChain = Chain & {
  /** Produces `count` blocks. */
  mine(count?: number): void;
  /** An outside payment; mined with the next block. Returns the transaction's id. */
  payFromOutside(payment: OutsidePayment): string;
  /** A valid address that is not the venue's. */
  outsideAddress(name: string): string;
  /** Replaces the newest blocks by as many empty ones; returns the transactions that were in them. */
  reorganise(depth: number): readonly string[];
  /** Sends a transaction again that a reorganisation removed. */
  sendAgain(txId: string): void;
  setTrouble(trouble: NodeTrouble): void;
  setBaseFee(pricePerUnit: bigint): void;
  setTokenFrozen(tokenId: string, isFrozen: boolean): void;
  /** The node forgets every waiting transaction. */
  forgetWaiting(): void;
  readonly height: number;
  /** A reorganisation leaves at least one of them. */
  readonly keptBlocks: number;
  /** The funds of the venue's wallets: the hot one, and the deposit addresses of all observed accounts. */
  holdings(tokenId: TokenId): bigint;
  /** Increases with every change. */
  readonly changes: number;
  /** Transactions in no block yet. */
  readonly waitingCount: number;
  save(): string;
};

export type OutsidePayment = {
  readonly to: string;
  readonly memo?: string;
  readonly tokenId?: TokenId;
  readonly amount: bigint;
};

const ADDRESSES_KEPT = 10_000;
const MEMO = /^(0|[1-9]\d{0,9})$/;

/** `saved` is the result of `save`; text that is damaged or of another network is refused. */
export function simulatedChain(settings: SimulatedSettings, saved?: string): SimulatedChain {
  const { network, confirmations, needsMemo = false, coinDecimals = 18, tokens = [] } = settings;
  const { blocksPerCall = 50, pricePerUnitMax = 10n ** 15n, seed = 'rialto' } = settings;
  const { addressFormat: format = 'evm', prices = DEFAULT_PRICES, beforeAnswer } = settings;
  const name = `${network} ${seed}`;
  const state = saved === undefined ? undefined : stateFromText<NodeState>(saved, name);
  const decimalsByToken = new Map<TokenId, number>([
    [undefined, coinDecimals],
    ...tokens.map(({ tokenId, decimals }) => [tokenId, decimals] as const),
  ]);
  /** A checksum takes half a millisecond. */
  const addressByKey = new Map<string, string>();
  const accountByAddress = new Map<string, number>();
  const observedAccounts = new Set<number>();
  const removedById = new Map<string, SimulatedTransaction>();
  let trouble: NodeTrouble = {};

  const addressOf = (wallet: Wallet): string => {
    // With a memo the hot wallet is everyone's deposit address.
    if (wallet.kind === 'hot' || needsMemo) return addressOfKey(`${name} hot`);
    assert(isAccountNumber(wallet.accountNumber), 'an account number has 31 bits');
    return addressOfKey(`${name} account ${wallet.accountNumber}`);
  };
  function beginning(): NodeState | undefined {
    const { begin } = settings;
    if (begin === undefined) return undefined;
    const { height, hotNonce, payers } = begin;
    const hash = sha256(`${name}|${payers}|begins at ${height}`);
    return {
      ...{ receipts: [], pool: [], balances: [], frozenTokens: [], baseFee: prices.basePrice },
      blocks: [{ height, hash, parentHash: sha256(hash), txIds: [] }],
      nonces: [[placeOf(addressOf(HOT)), hotNonce]],
      ...{ branch: payers, outsideCount: payers },
    };
  }
  const txIdOf = (text: string): string => `${format === 'evm' ? '0x' : ''}${sha256(text)}`;
  const addressOfKey = (key: string): string => {
    const known = addressByKey.get(key);
    if (known !== undefined) return known;
    const made = addressFrom(format, createHash('sha256').update(`address ${key}`).digest());
    if (addressByKey.size >= ADDRESSES_KEPT) addressByKey.clear();
    addressByKey.set(key, made);
    return made;
  };

  const node = new SimulatedNode(name, prices, state ?? beginning());

  /** Every request to the node starts here. Returns the height up to which it sees. */
  const ask = async (): Promise<number> => {
    await beforeAnswer?.();
    if (trouble.fault !== undefined) {
      throw new ChainUnavailable(network, trouble.fault, 'the simulated node is told to be so');
    }
    return Math.max(0, node.headHeight - (trouble.behindBlocks ?? 0));
  };

  const checkAddress = (address: string, memo?: string): AddressFault | undefined => {
    const fault = addressFault(format, address);
    if (fault !== undefined) return ADDRESS_FAULTS[fault];
    // With a memo the hot wallet is everyone's deposit address.
    if (!needsMemo && placeOf(address) === placeOf(addressOf(HOT))) return 'ADDRESS_LOSES_FUNDS';
    if (!needsMemo) return memo === undefined ? undefined : 'MEMO_NOT_USED';
    if (memo === undefined) return 'MEMO_MISSING';
    return MEMO.test(memo) ? undefined : 'MEMO_MALFORMED';
  };

  const transferOf = (receipt: Receipt): Transfer[] => {
    const { txId, from, to, memo, tokenId, amount, isTopUp } = receipt.transaction;
    if (!receipt.hasMoved || amount === 0n || !decimalsByToken.has(tokenId)) return [];
    if (isTopUp === true && from === placeOf(addressOf(HOT))) return [];
    const accountNumber = needsMemo ? accountFromMemo(to, memo) : accountByAddress.get(to);
    if (accountNumber === undefined) return [];
    const address = addressOf({ kind: 'deposit', accountNumber });
    const place = { height: receipt.height, blockHash: receipt.blockHash };
    const paid = { txId, output: 0, accountNumber, address, tokenId, amount, ...place };
    return [memo === undefined ? paid : { ...paid, memo }];
  };
  const accountFromMemo = (to: string, memo: string | undefined): number | undefined => {
    if (to !== placeOf(addressOf(HOT)) || memo === undefined || !MEMO.test(memo)) return undefined;
    const accountNumber = Number.parseInt(memo, 10);
    return observedAccounts.has(accountNumber) ? accountNumber : undefined;
  };

  const blockFrom = ({ height, hash, parentHash, txIds }: SimulatedBlock): ChainBlock => ({
    height,
    hash,
    parentHash,
    transfers: txIds.flatMap((txId) => transferOf(node.receiptOf(txId) as Receipt)),
  });

  const currentPrice = (): Pick<Fee, 'pricePerUnit' | 'tipPerUnit'> => ({
    pricePerUnit: node.baseFee * 2n + prices.tip,
    tipPerUnit: prices.tip,
  });

  const transactionFrom = (payment: Payment): Omit<SimulatedTransaction, 'txId'> => ({
    from: placeOf(addressOf(payment.from)),
    nonce: payment.nonce,
    to: placeOf(payment.to),
    ...(payment.memo === undefined ? {} : { memo: payment.memo }),
    ...(payment.tokenId === undefined ? {} : { tokenId: payment.tokenId }),
    amount: payment.amount,
    fee: payment.fee,
    ...(payment.isTopUp === true ? { isTopUp: true } : {}),
  });

  const transactionOf = (rawBytes: Uint8Array): Omit<SimulatedTransaction, 'txId'> =>
    stateFromText(new TextDecoder().decode(rawBytes), name);

  const inclusionOf = (receipt: Receipt, headHeight: number): Inclusion => {
    const count = confirmationsAt(receipt.height, headHeight);
    return {
      txId: receipt.transaction.txId,
      height: receipt.height,
      hash: receipt.blockHash,
      cost: receipt.cost,
      confirmations: count,
      isFinal: count >= confirmations,
    };
  };

  return {
    network,
    confirmations,
    blocksPerCall,

    health: async (): Promise<ChainHealth> => {
      try {
        const height = await ask();
        const { hash } = node.blockAt(height) as SimulatedBlock;
        const behindBlocks = node.headHeight - height;
        return { isReachable: true, head: { height, hash }, behindBlocks, headAgeMs: undefined };
      } catch (error) {
        if (!(error instanceof ChainUnavailable)) throw error;
        return { isReachable: false, fault: error.fault, reason: error.message };
      }
    },

    depositAddress: (accountNumber) => {
      const address = addressOf({ kind: 'deposit', accountNumber });
      return needsMemo ? { address, memo: String(accountNumber) } : { address };
    },
    addressOf,
    checkAddress,
    decimalsOf: (tokenId) => decimalsByToken.get(tokenId),
    observe: async (accountNumbers) => {
      for (const accountNumber of accountNumbers) {
        observedAccounts.add(accountNumber);
        accountByAddress.set(placeOf(addressOf({ kind: 'deposit', accountNumber })), accountNumber);
      }
    },

    head: async () => {
      const { height, hash } = node.blockAt(await ask()) as SimulatedBlock;
      return { height, hash };
    },
    hashAt: async (height) => (height > (await ask()) ? undefined : node.blockAt(height)?.hash),
    blocks: async (fromHeight, toHeight) => {
      const last = Math.min(toHeight, fromHeight + blocksPerCall - 1, await ask());
      const found: ChainBlock[] = [];
      for (let height = fromHeight; height <= last; height++) {
        const block = node.blockAt(height);
        if (block === undefined) {
          throw new ChainUnavailable(network, 'refused', `block ${height} is no longer kept`);
        }
        found.push(blockFrom(block));
      }
      return found;
    },

    balanceOf: async (wallet, tokenId) =>
      node.balanceAt(placeOf(addressOf(wallet)), tokenId, await ask()),
    estimateFee: async (draft: PaymentDraft) => {
      await ask();
      const fee = { unitsMax: node.unitsOf(draft), ...currentPrice() };
      if (fee.pricePerUnit > pricePerUnitMax) {
        throw new ChainUnavailable(network, 'fee-too-high', `the chain asks ${fee.pricePerUnit}`);
      }
      const attempt = { ...transactionFrom({ ...draft, nonce: 0, fee }), txId: '' };
      return { fee, isLikelyToFail: node.isLikelyToFail(attempt) };
    },
    bumpFee: async (previous) => {
      await ask();
      return bumpedFee(previous, currentPrice(), pricePerUnitMax);
    },
    feeOf: (rawBytes) => transactionOf(rawBytes).fee,
    nextNonce: async (wallet) => node.nonceAt(placeOf(addressOf(wallet)), await ask()),
    sign: async (payment): Promise<SignedTransaction> => {
      const signed = stateToText(transactionFrom(payment), name);
      return { txId: txIdOf(signed), rawBytes: new TextEncoder().encode(signed) };
    },
    broadcast: async (rawBytes) => {
      await ask();
      try {
        const txId = txIdOf(new TextDecoder().decode(rawBytes));
        return node.submit({ ...transactionOf(rawBytes), txId });
      } catch (error) {
        return { kind: 'refused', reason: (error as Error).message };
      }
    },
    statusOf: async (sent: SentPayment): Promise<TransactionStatus> => {
      const headHeight = await ask();
      const address = placeOf(addressOf(sent.draft.from));
      const used = node.receiptAt(address, sent.nonce, headHeight);
      if (used !== undefined) {
        const inclusion = inclusionOf(used, headHeight);
        if (!sent.txIds.includes(used.transaction.txId)) return { kind: 'foreign', ...inclusion };
        return { kind: used.hasMoved ? 'confirmed' : 'reverted', ...inclusion };
      }
      const isWaiting = sent.txIds.some((txId) => node.isWaiting(txId));
      return { kind: isWaiting ? 'pending' : 'unknown' };
    },

    mine: (count = 1) => {
      for (let left = count; left > 0; left--) node.mine();
    },
    payFromOutside: ({ to, memo, tokenId, amount }) => {
      const from = addressOfKey(`${name} ${node.nextPayer()}`);
      const transaction = {
        txId: txIdOf(`${from} pays`),
        from,
        nonce: 0,
        to: placeOf(to),
        ...(memo === undefined ? {} : { memo }),
        ...(tokenId === undefined ? {} : { tokenId }),
        amount,
        fee: { unitsMax: node.unitsOf({ tokenId }), pricePerUnit: 10n ** 30n, tipPerUnit: 0n },
        isFromOutside: true,
      } as const;
      node.submit(transaction);
      return transaction.txId;
    },
    outsideAddress: (label) => addressOfKey(`${name} outside of the venue ${label}`),
    reorganise: (depth) => {
      const removed = node.reorganise(depth);
      for (const transaction of removed) removedById.set(transaction.txId, transaction);
      return removed.map(({ txId }) => txId);
    },
    sendAgain: (txId) => {
      const transaction = removedById.get(txId);
      removedById.delete(txId);
      if (transaction !== undefined) node.submit(transaction);
    },
    setTrouble: (next) => {
      trouble = next;
      node.changes++;
    },
    setBaseFee: (pricePerUnit) => node.setBaseFee(pricePerUnit),
    setTokenFrozen: (tokenId, isFrozen) => node.setFrozen(tokenId, isFrozen),
    forgetWaiting: () => node.emptyPool(),
    holdings: (tokenId) => {
      const places = new Set([placeOf(addressOf(HOT)), ...accountByAddress.keys()]);
      let sum = 0n;
      for (const place of places) sum += node.balanceAt(place, tokenId, node.headHeight);
      return sum;
    },
    get height() {
      return node.headHeight;
    },
    get keptBlocks() {
      return node.keptBlocks;
    },
    get changes() {
      return node.changes;
    },
    get waitingCount() {
      return node.waitingCount;
    },
    save: () => stateToText(node.state(), name),
  };
}

const isAccountNumber = (value: number): boolean =>
  Number.isInteger(value) && value >= 0 && value <= ACCOUNT_NUMBER_MAX;

/** Some formats allow one address in upper and lower case. */
const placeOf = (address: string): string =>
  /^(0x|bc1)/i.test(address) ? address.toLowerCase() : address;
