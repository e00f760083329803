import type { SweepWork } from '../../domain/chain-work.ts';
import { type Chain, HOT, type TokenId } from '../chains/chain.ts';
import { creditOf } from '../chains/chain-amounts.ts';
import { type ChainAsset, type NetworkTerms, numberOf } from './network-terms.ts';

/**
 * What the venue's wallets hold on an external chain: the hot wallet, and deposit addresses that were not
 * swept. Balances of addresses are requested once after a start, some in each round, and again after a
 * transfer or a sweep. So the cost of a round does not grow with the number of accounts. The hot wallet is requested
 * with them: what a sweep has moved would otherwise be in neither place until the next minute.
 */
export type Holding = {
  readonly asset: string;
  /** In parts of the ledger, rounded down. */
  readonly amount: bigint;
  /** The part of it on deposit addresses, if the chain distinguishes them. */
  readonly unswept?: bigint;
};

const HOT_PAUSE_MS = 60_000;
/** Addresses whose balances are requested per round. */
const QUERIES_PER_ROUND = 20;

export type BalancesOptions = {
  readonly chain: Chain;
  readonly terms: NetworkTerms;
  readonly nowMs: () => number;
  /** Of all accounts. */
  readonly accountNumbers: () => readonly number[];
};

export class Balances {
  readonly #options: BalancesOptions;
  readonly #hot = new Map<TokenId, bigint>();
  #hotQueriedAtMs = Number.NEGATIVE_INFINITY;
  /** Addresses to request. Undefined before the first round. */
  #due: Set<number> | undefined;
  /** Addresses with a balance, and the sums of all. */
  readonly #byAccount = new Map<number, Map<TokenId, bigint>>();
  readonly #unswept = new Map<TokenId, bigint>();

  constructor(options: BalancesOptions) {
    this.#options = options;
  }

  /** Something happened to this deposit address. */
  touch(accountNumber: number): void {
    this.#due?.add(accountNumber);
  }

  /** Addresses that were not requested yet. */
  get unqueriedCount(): number {
    return this.#due?.size ?? this.#options.accountNumbers().length;
  }

  async step(sweeps: readonly SweepWork[]): Promise<void> {
    const { chain, terms, nowMs, accountNumbers } = this.#options;
    this.#due ??= new Set(accountNumbers());
    if (this.#due.size > 0 || nowMs() - this.#hotQueriedAtMs >= HOT_PAUSE_MS) {
      this.#hotQueriedAtMs = nowMs();
      for (const { tokenId } of carriedBy(terms)) {
        this.#hot.set(tokenId, await chain.balanceOf(HOT, tokenId));
      }
      // Otherwise the moved amount would count in both places until the sweep is final.
      for (const { account } of sweeps) this.#due.add(numberOf(account));
    }
    for (const accountNumber of [...this.#due].slice(0, QUERIES_PER_ROUND)) {
      await this.#query(accountNumber);
      this.#due.delete(accountNumber);
    }
  }

  async #query(accountNumber: number): Promise<void> {
    const { chain, terms } = this.#options;
    const found = new Map<TokenId, bigint>();
    for (const { tokenId } of carriedBy(terms)) {
      const held = await chain.balanceOf({ kind: 'deposit', accountNumber }, tokenId);
      if (held > 0n) found.set(tokenId, held);
    }
    for (const [tokenId, held] of this.#byAccount.get(accountNumber) ?? []) {
      this.#add(tokenId, -held);
    }
    for (const [tokenId, held] of found) this.#add(tokenId, held);
    if (found.size === 0) this.#byAccount.delete(accountNumber);
    else this.#byAccount.set(accountNumber, found);
  }

  #add(tokenId: TokenId, held: bigint): void {
    this.#unswept.set(tokenId, (this.#unswept.get(tokenId) ?? 0n) + held);
  }

  holdings(): Holding[] {
    return carriedBy(this.#options.terms).map((asset) => {
      const unswept = this.#unswept.get(asset.tokenId) ?? 0n;
      const all = (this.#hot.get(asset.tokenId) ?? 0n) + unswept;
      return { ...holdingOf(asset, all), unswept: holdingOf(asset, unswept).amount };
    });
  }
}

export const holdingOf = (
  { code, scale, decimals }: ChainAsset,
  held: bigint,
): { readonly asset: string; readonly amount: bigint } => ({
  asset: code,
  amount: creditOf(held, decimals, scale).credited,
});

/** Every asset that may be there, including the coin if it is only used for fees. */
export const carriedBy = ({ assets, coin }: NetworkTerms): readonly ChainAsset[] =>
  coin === undefined || assets.some(({ asset }) => asset === coin.asset)
    ? assets
    : [...assets, coin];
