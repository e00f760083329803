/**
 * A chain in memory: accounts with nonces, a pool of waiting transactions, blocks on demand. No clock and no
 * randomness: the same calls give the same hashes. It behaves like a node of a real chain where that matters
 * to a caller: prices decide what is mined and what replaces what, a nonce is used once, a failing
 * transaction still costs its fee, and blocks can be replaced.
 *
 * Bounds: `POOL_MAX` waiting transactions, `BLOCK_MAX` in a block, `KEPT_BLOCKS` blocks. Older blocks are
 * dropped (they can no longer be replaced); balances and the newest `KEPT_RECEIPTS` receipts stay. Outside
 * payers have neither balance nor nonce: they never run out of money, and each pays once.
 */
import { createHash } from 'node:crypto';
import { assert } from '../../domain/assert.ts';
import type { BroadcastOutcome, Fee, TokenId } from './chain.ts';

const POOL_MAX = 10_000;
const BLOCK_MAX = 1_000;
export const KEPT_BLOCKS = 512;
const KEPT_RECEIPTS = 2_000;

export type SimulatedTransaction = {
  readonly txId: string;
  readonly from: string;
  readonly nonce: number;
  readonly to: string;
  readonly memo?: string;
  readonly tokenId?: string;
  readonly amount: bigint;
  readonly fee: Fee;
  readonly isTopUp?: true;
  /** Paid by an outside payer, who never runs out of money. */
  readonly isFromOutside?: true;
};

export type Receipt = {
  readonly transaction: SimulatedTransaction;
  readonly height: number;
  readonly blockHash: string;
  readonly hasMoved: boolean;
  readonly cost: bigint;
};

export type SimulatedBlock = {
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly txIds: readonly string[];
};

/** The complete state of a node, as plain data. */
export type NodeState = {
  readonly blocks: readonly SimulatedBlock[];
  readonly receipts: readonly Receipt[];
  readonly pool: readonly SimulatedTransaction[];
  readonly balances: readonly (readonly [purse: string, amount: bigint])[];
  readonly nonces: readonly (readonly [address: string, nonce: number])[];
  readonly frozenTokens: readonly string[];
  readonly baseFee: bigint;
  /** Increases with every replacement, so that replaced blocks never get their hashes back. */
  readonly branch: number;
  /** The number of outside payers so far: each payment has its own, so that none waits for another. */
  readonly outsideCount: number;
};

export type NodePrices = {
  readonly coinUnits: bigint;
  readonly tokenUnits: bigint;
  readonly basePrice: bigint;
};

export class SimulatedNode {
  readonly #name: string;
  readonly #blocks: SimulatedBlock[];
  readonly #receiptById: Map<string, Receipt>;
  #pool: SimulatedTransaction[];
  readonly #balances: Map<string, bigint>;
  readonly #nonces: Map<string, number>;
  readonly #frozenTokens: Set<string>;
  baseFee: bigint;
  #branch: number;
  #outsideCount: number;
  readonly #prices: NodePrices;
  /** Increases with every change, so that the owner of the state knows when to save it. */
  changes = 0;

  constructor(name: string, prices: NodePrices, state?: NodeState) {
    this.#name = name;
    this.#prices = prices;
    this.#blocks = [...(state?.blocks ?? [])];
    this.#receiptById = new Map(state?.receipts.map((r) => [r.transaction.txId, r]));
    this.#pool = [...(state?.pool ?? [])];
    this.#balances = new Map(state?.balances);
    this.#nonces = new Map(state?.nonces);
    this.#frozenTokens = new Set(state?.frozenTokens);
    this.baseFee = state?.baseFee ?? prices.basePrice;
    this.#branch = state?.branch ?? 0;
    this.#outsideCount = state?.outsideCount ?? 0;
    if (this.#blocks.length === 0) this.mine();
  }

  state(): NodeState {
    return {
      blocks: this.#blocks,
      receipts: [...this.#receiptById.values()],
      pool: this.#pool,
      balances: [...this.#balances],
      nonces: [...this.#nonces],
      frozenTokens: [...this.#frozenTokens],
      baseFee: this.baseFee,
      branch: this.#branch,
      outsideCount: this.#outsideCount,
    };
  }

  get keptBlocks(): number {
    return this.#blocks.length;
  }

  setBaseFee(pricePerUnit: bigint): void {
    this.baseFee = pricePerUnit;
    this.changes++;
  }

  get waitingCount(): number {
    return this.#pool.length;
  }

  unitsOf({ tokenId }: { readonly tokenId?: TokenId }): bigint {
    return tokenId === undefined ? this.#prices.coinUnits : this.#prices.tokenUnits;
  }

  nextPayer(): string {
    this.changes++;
    return `payer ${++this.#outsideCount}`;
  }

  get headHeight(): number {
    return this.#head().height;
  }

  blockAt(height: number): SimulatedBlock | undefined {
    const found = this.#blocks[height - (this.#blocks[0]?.height ?? 0)];
    assert(found === undefined || found.height === height, 'blocks are kept without gaps');
    return found;
  }

  receiptOf(txId: string): Receipt | undefined {
    return this.#receiptById.get(txId);
  }

  isWaiting(txId: string): boolean {
    return this.#pool.some((waiting) => waiting.txId === txId);
  }

  /** The transaction that used a nonce, in a block up to the height. */
  receiptAt(address: string, nonce: number, height: number): Receipt | undefined {
    for (const receipt of this.#receiptById.values()) {
      const { from, nonce: used } = receipt.transaction;
      if (from === address && used === nonce && receipt.height <= height) return receipt;
    }
    return undefined;
  }

  balanceAt(address: string, tokenId: TokenId, height: number): bigint {
    let balance = this.#balanceOf(address, tokenId);
    for (const receipt of this.#receiptsAbove(height)) {
      for (const [purse, change] of changesOf(receipt)) {
        if (purse === purseOf(address, tokenId)) balance -= change;
      }
    }
    return balance;
  }

  nonceAt(address: string, height: number): number {
    const above = this.#receiptsAbove(height).filter(({ transaction: t }) => t.from === address);
    return this.#nonceOf(address) - above.length;
  }

  submit(transaction: SimulatedTransaction): BroadcastOutcome {
    const { txId, from, nonce, fee } = transaction;
    if (this.isWaiting(txId) || this.#receiptById.has(txId)) return { kind: 'known' };
    if (nonce < this.#nonceOf(from)) return refused('nonce too low');
    if (!this.#canPay(transaction)) return refused('insufficient funds for fee and amount');
    const waiting = this.#pool.find((other) => other.from === from && other.nonce === nonce);
    if (waiting !== undefined && !isTenthAbove(fee, waiting.fee)) {
      return refused('replacement transaction underpriced');
    }
    if (this.#pool.length >= POOL_MAX) return refused('the pool is full');
    this.#pool = [...this.#pool.filter((other) => other !== waiting), transaction];
    this.changes++;
    return { kind: 'accepted' };
  }

  /** Produces a block of everything that may be included, each sender's transactions in nonce order. */
  mine(): SimulatedBlock {
    const parent = this.#blocks.at(-1);
    const height = parent === undefined ? 0 : parent.height + 1;
    const parentHash = parent?.hash ?? '0'.repeat(64);
    const chosen: SimulatedTransaction[] = [];
    const outcomes: Pick<Receipt, 'hasMoved' | 'cost'>[] = [];
    for (let next = this.#nextToMine(); next !== undefined; next = this.#nextToMine()) {
      chosen.push(next);
      outcomes.push(this.#execute(next));
      if (chosen.length === BLOCK_MAX) break;
    }
    const txIds = chosen.map(({ txId }) => txId);
    const hash = sha256(`${this.#name}|${this.#branch}|${parentHash}|${height}|${txIds.join()}`);
    for (const [index, transaction] of chosen.entries()) {
      const outcome = outcomes[index] as Pick<Receipt, 'hasMoved' | 'cost'>;
      const receipt = { transaction, height, blockHash: hash, ...outcome };
      this.#receiptById.set(transaction.txId, receipt);
    }
    const block = { height, hash, parentHash, txIds };
    this.#blocks.push(block);
    if (this.#blocks.length > KEPT_BLOCKS) this.#blocks.shift();
    this.#dropReceipts();
    this.changes++;
    return block;
  }

  /** Replaces the newest blocks by as many empty ones. Their transactions are then neither mined nor pending. */
  reorganise(depth: number): readonly SimulatedTransaction[] {
    assert(depth < this.#blocks.length, 'a reorganisation leaves a block to build on');
    const removed: SimulatedTransaction[] = [];
    for (let left = depth; left > 0; left--) removed.unshift(...this.#undoHead());
    this.#branch++;
    this.changes++;
    const pool = this.#pool;
    this.#pool = [];
    for (let left = depth; left > 0; left--) this.mine();
    this.#pool = pool;
    return removed;
  }

  emptyPool(): void {
    this.#pool = [];
    this.changes++;
  }

  /** A frozen token refuses every transfer, which then costs its fee and moves nothing. */
  setFrozen(tokenId: string, isFrozen: boolean): void {
    this.changes++;
    if (isFrozen) this.#frozenTokens.add(tokenId);
    else this.#frozenTokens.delete(tokenId);
  }

  isLikelyToFail(transaction: SimulatedTransaction): boolean {
    return !this.#canPay(transaction) || !this.#moves(transaction);
  }

  #head(): SimulatedBlock {
    const head = this.#blocks.at(-1);
    assert(head !== undefined, 'a chain has a block');
    return head;
  }

  /** Only those of blocks that are no longer kept: others may still be replaced. */
  #dropReceipts(): void {
    const oldest = this.#blocks[0]?.height ?? 0;
    for (const [txId, { height }] of this.#receiptById) {
      if (this.#receiptById.size <= KEPT_RECEIPTS || height >= oldest) return;
      this.#receiptById.delete(txId);
    }
  }

  #receiptsAbove(height: number): Receipt[] {
    return this.#blocks
      .filter((block) => block.height > height)
      .flatMap(({ txIds }) => txIds.map((txId) => this.#receiptById.get(txId) as Receipt));
  }

  #undoHead(): SimulatedTransaction[] {
    const { txIds } = this.#blocks.pop() as SimulatedBlock;
    return txIds.map((txId) => {
      const receipt = this.#receiptById.get(txId) as Receipt;
      for (const [purse, change] of changesOf(receipt)) this.#change(purse, -change);
      const { from, nonce, isFromOutside } = receipt.transaction;
      if (isFromOutside !== true) this.#nonces.set(from, Math.min(nonce, this.#nonceOf(from)));
      this.#receiptById.delete(txId);
      return receipt.transaction;
    });
  }

  #nextToMine(): SimulatedTransaction | undefined {
    const isDue = (t: SimulatedTransaction): boolean =>
      t.nonce === this.#nonceOf(t.from) && t.fee.pricePerUnit >= this.baseFee && this.#canPay(t);
    const next = this.#pool.find(isDue);
    this.#pool = this.#pool.filter((waiting) => waiting !== next);
    return next;
  }

  #execute(transaction: SimulatedTransaction): Pick<Receipt, 'hasMoved' | 'cost'> {
    const { fee, from, nonce, isFromOutside } = transaction;
    const hasMoved = this.#moves(transaction);
    const needed = this.unitsOf(transaction);
    const units = fee.unitsMax < needed ? fee.unitsMax : needed;
    const offered = this.baseFee + fee.tipPerUnit;
    const cost = units * (offered < fee.pricePerUnit ? offered : fee.pricePerUnit);
    for (const [purse, change] of changesOf({ transaction, hasMoved, cost })) {
      this.#change(purse, change);
    }
    if (isFromOutside !== true) this.#nonces.set(from, nonce + 1);
    return { hasMoved, cost };
  }

  #moves(t: SimulatedTransaction): boolean {
    if (t.fee.unitsMax < this.unitsOf(t)) return false;
    if (t.tokenId === undefined) return true;
    if (this.#frozenTokens.has(t.tokenId)) return false;
    return t.isFromOutside === true || this.#balanceOf(t.from, t.tokenId) >= t.amount;
  }

  #canPay(t: SimulatedTransaction): boolean {
    if (t.isFromOutside === true) return true;
    const needed = t.fee.unitsMax * t.fee.pricePerUnit + (t.tokenId === undefined ? t.amount : 0n);
    return this.#balanceOf(t.from, undefined) >= needed;
  }

  #change(purse: string, change: bigint): void {
    this.#balances.set(purse, (this.#balances.get(purse) ?? 0n) + change);
  }

  #balanceOf(address: string, tokenId: TokenId): bigint {
    return this.#balances.get(purseOf(address, tokenId)) ?? 0n;
  }

  #nonceOf(address: string): number {
    return this.#nonces.get(address) ?? 0;
  }
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const purseOf = (address: string, tokenId: TokenId): string => `${address} ${tokenId ?? ''}`;

function changesOf({
  transaction: { from, to, tokenId, amount, isFromOutside },
  hasMoved,
  cost,
}: Pick<Receipt, 'transaction' | 'hasMoved' | 'cost'>): (readonly [string, bigint])[] {
  if (isFromOutside === true) return hasMoved ? [[purseOf(to, tokenId), amount]] : [];
  const fee = [purseOf(from, undefined), -cost] as const;
  if (!hasMoved) return [fee];
  return [fee, [purseOf(from, tokenId), -amount], [purseOf(to, tokenId), amount]];
}

const isTenthAbove = (fee: Fee, old: Fee): boolean =>
  fee.pricePerUnit * 10n >= old.pricePerUnit * 11n && fee.tipPerUnit * 10n >= old.tipPerUnit * 11n;

const refused = (reason: string): BroadcastOutcome => ({ kind: 'refused', reason });
