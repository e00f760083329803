/**
 * The chain of demonstrations and tests: in the process, deterministic, with blocks on demand and with
 * a node that is down, slow, behind or of another chain when asked to be. Its state is saved as text
 * and restored from it, so that a venue that restarts finds its chain again.
 *
 * There are no keys: whoever can call it can pay from every wallet. A "signed" transaction is its text.
 */
import { assert } from '../../domain/assert.ts';
import {
  ACCOUNT_NUMBER_MAX,
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
  type Receipt,
  type SimulatedBlock,
  SimulatedNode,
  type SimulatedTransaction,
  sha256,
  unitsOf,
} from './simulated-node.ts';
import { stateFromText, stateToText } from './simulated-state.ts';

export type SimulatedSettings = {
  readonly network: string;
  readonly confirmations: number;
  /** Everyone pays to one address and says with a memo whom it is for. */
  readonly needsMemo?: boolean;
  readonly coinDecimals?: number;
  readonly tokens?: readonly { readonly tokenId: string; readonly decimals: number }[];
  readonly blocksPerCall?: number;
  readonly pricePerUnitMax?: bigint;
  readonly seed?: string;
};

/** What is wrong with the node; nothing when empty. */
export type NodeTrouble = {
  readonly fault?: Extract<ChainFault, 'down' | 'slow' | 'wrong-chain'>;
  /** It hides its newest blocks. */
  readonly behindBlocks?: number;
};

export type SimulatedChain = Chain & {
  /** Makes that many blocks. */
  mine(count?: number): void;
  /** Somebody outside pays; mined with the next block. Returns the transaction's id. */
  payFromOutside(payment: OutsidePayment): string;
  /** A valid address that is not the venue's. */
  outsideAddress(name: string): string;
  /** Replaces the newest blocks by as many empty ones; returns what was in them. */
  reorganise(depth: number): readonly string[];
  /** Sends a transaction again that a reorganisation removed. */
  sendAgain(txId: string): void;
  setTrouble(trouble: NodeTrouble): void;
  setBaseFee(pricePerUnit: bigint): void;
  setTokenFrozen(tokenId: string, isFrozen: boolean): void;
  /** The node forgets every waiting transaction. */
  forgetWaiting(): void;
  save(): string;
};

export type OutsidePayment = {
  readonly to: string;
  readonly memo?: string;
  readonly tokenId?: TokenId;
  readonly amount: bigint;
};

const TIP_PER_UNIT = 1_000_000n;
const MEMO = /^(0|[1-9]\d{0,9})$/;

/** `saved` is what `save` returned; text that is damaged or of another network is refused. */
export function simulatedChain(settings: SimulatedSettings, saved?: string): SimulatedChain {
  const { network, confirmations, needsMemo = false, coinDecimals = 18, tokens = [] } = settings;
  const { blocksPerCall = 50, pricePerUnitMax = 10n ** 15n, seed = 'rialto' } = settings;
  const name = `${network} ${seed}`;
  const node = new SimulatedNode(
    name,
    saved === undefined ? undefined : stateFromText(saved, name),
  );
  const decimalsByToken = new Map<TokenId, number>([
    [undefined, coinDecimals],
    ...tokens.map(({ tokenId, decimals }) => [tokenId, decimals] as const),
  ]);
  const accountByAddress = new Map<string, number>();
  const observedAccounts = new Set<number>();
  const removedById = new Map<string, SimulatedTransaction>();
  let trouble: NodeTrouble = {};

  const addressOf = (wallet: Wallet): string => {
    // With a memo everyone's deposit address is the hot wallet's.
    if (wallet.kind === 'hot' || needsMemo) return addressFrom(`${name} hot`);
    assert(isAccountNumber(wallet.accountNumber), 'an account number has 31 bits');
    return addressFrom(`${name} account ${wallet.accountNumber}`);
  };

  /** Every question to the node begins here. Returns the height up to which it sees. */
  const ask = async (): Promise<number> => {
    if (trouble.fault !== undefined) {
      throw new ChainUnavailable(network, trouble.fault, 'the simulated node is told to be so');
    }
    return Math.max(0, node.headHeight - (trouble.behindBlocks ?? 0));
  };

  const checkAddress = (address: string, memo?: string): AddressFault | undefined => {
    if (!/^sim[0-9a-f]{40}$/.test(address)) return 'ADDRESS_MALFORMED';
    if (address !== withChecksum(address.slice(3, 35))) return 'ADDRESS_CHECKSUM_WRONG';
    // With a memo the hot wallet is everyone's deposit address.
    if (!needsMemo && address === addressOf(HOT)) return 'ADDRESS_LOSES_FUNDS';
    if (!needsMemo) return memo === undefined ? undefined : 'MEMO_NOT_USED';
    if (memo === undefined) return 'MEMO_MISSING';
    return MEMO.test(memo) ? undefined : 'MEMO_MALFORMED';
  };

  const transferOf = (receipt: Receipt): Transfer[] => {
    const { txId, from, to, memo, tokenId, amount, isTopUp } = receipt.transaction;
    if (!receipt.hasMoved || amount === 0n || !decimalsByToken.has(tokenId)) return [];
    if (isTopUp === true && from === addressOf(HOT)) return [];
    const accountNumber = needsMemo ? accountFromMemo(to, memo) : accountByAddress.get(to);
    if (accountNumber === undefined) return [];
    const place = { height: receipt.height, blockHash: receipt.blockHash };
    const paid = { txId, output: 0, accountNumber, address: to, tokenId, amount, ...place };
    return [memo === undefined ? paid : { ...paid, memo }];
  };
  const accountFromMemo = (to: string, memo: string | undefined): number | undefined => {
    if (to !== addressOf(HOT) || memo === undefined || !MEMO.test(memo)) return undefined;
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
    pricePerUnit: node.baseFee * 2n + TIP_PER_UNIT,
    tipPerUnit: TIP_PER_UNIT,
  });

  const transactionFrom = (payment: Payment): Omit<SimulatedTransaction, 'txId'> => ({
    from: addressOf(payment.from),
    nonce: payment.nonce,
    to: payment.to,
    ...(payment.memo === undefined ? {} : { memo: payment.memo }),
    ...(payment.tokenId === undefined ? {} : { tokenId: payment.tokenId }),
    amount: payment.amount,
    fee: payment.fee,
    ...(payment.isTopUp === true ? { isTopUp: true } : {}),
  });

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
        accountByAddress.set(addressOf({ kind: 'deposit', accountNumber }), accountNumber);
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

    balanceOf: async (wallet, tokenId) => node.balanceAt(addressOf(wallet), tokenId, await ask()),
    estimateFee: async (draft: PaymentDraft) => {
      await ask();
      const fee = { unitsMax: unitsOf(draft), ...currentPrice() };
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
    nextNonce: async (wallet) => node.nonceAt(addressOf(wallet), await ask()),
    sign: async (payment): Promise<SignedTransaction> => {
      const signed = stateToText(transactionFrom(payment), name);
      return { txId: sha256(signed), rawBytes: new TextEncoder().encode(signed) };
    },
    broadcast: async (rawBytes) => {
      await ask();
      const signed = new TextDecoder().decode(rawBytes);
      try {
        const transaction = stateFromText<Omit<SimulatedTransaction, 'txId'>>(signed, name);
        return node.submit({ ...transaction, txId: sha256(signed) });
      } catch (error) {
        return { kind: 'refused', reason: (error as Error).message };
      }
    },
    statusOf: async (sent: SentPayment): Promise<TransactionStatus> => {
      const headHeight = await ask();
      const address = addressOf(sent.draft.from);
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
      const from = addressFrom(`${name} ${node.nextPayer()}`);
      const transaction = {
        txId: sha256(`${from} pays`),
        from,
        nonce: 0,
        to,
        ...(memo === undefined ? {} : { memo }),
        ...(tokenId === undefined ? {} : { tokenId }),
        amount,
        fee: { unitsMax: unitsOf({ tokenId }), pricePerUnit: 10n ** 30n, tipPerUnit: 0n },
        isFromOutside: true,
      } as const;
      node.submit(transaction);
      return transaction.txId;
    },
    outsideAddress: (label) => addressFrom(`${name} outside of the venue ${label}`),
    reorganise: (depth) => {
      const removed = node.reorganise(depth);
      for (const transaction of removed) removedById.set(transaction.txId, transaction);
      return removed.map(({ txId }) => txId);
    },
    sendAgain: (txId) => {
      const transaction = removedById.get(txId);
      if (transaction !== undefined) node.submit(transaction);
    },
    setTrouble: (next) => {
      trouble = next;
    },
    setBaseFee: (pricePerUnit) => {
      node.baseFee = pricePerUnit;
    },
    setTokenFrozen: (tokenId, isFrozen) => node.setFrozen(tokenId, isFrozen),
    forgetWaiting: () => node.emptyPool(),
    save: () => stateToText(node.state(), name),
  };
}

const isAccountNumber = (value: number): boolean =>
  Number.isInteger(value) && value >= 0 && value <= ACCOUNT_NUMBER_MAX;

const withChecksum = (digits: string): string =>
  `sim${digits}${sha256(`sim ${digits}`).slice(0, 8)}`;
const addressFrom = (key: string): string => withChecksum(sha256(`address ${key}`).slice(0, 32));
