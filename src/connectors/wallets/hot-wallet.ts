import type { CoinWork } from '../../domain/chain-work.ts';
import { type Chain, HOT, type TokenId } from '../chains/chain.ts';
import type { ChainAsset } from './network-terms.ts';

/**
 * What the hot wallet can still spend in this round: its balances less what is committed and not in a block
 * yet. The same for network-costs: gas is charged to it only when a payment is final.
 */
export class HotWallet {
  readonly #chain: Chain;
  readonly #coin: ChainAsset | undefined;
  readonly #balances = new Map<TokenId, bigint>();
  readonly #promised = new Map<TokenId, bigint>();
  #costsLeft: bigint | undefined;
  #costsRefused: bigint | undefined;
  #nextNonce: number;
  #chainNonce: number | undefined;

  constructor(
    chain: Chain,
    coin: ChainAsset | undefined,
    { nextNonce, coin: work }: { readonly nextNonce: number; readonly coin: CoinWork | undefined },
  ) {
    this.#chain = chain;
    this.#coin = coin;
    this.#nextNonce = nextNonce;
    this.#costsLeft = work?.costs;
  }

  /** What is missing of each token for a payment; empty if nothing is. */
  async missingFor(
    tokenId: TokenId,
    amount: bigint,
    costMax: bigint,
  ): Promise<ReadonlyMap<TokenId, bigint>> {
    const missing = new Map<TokenId, bigint>();
    const need = async (of: TokenId, needed: bigint): Promise<void> => {
      const spare = await this.#spareOf(of);
      if (spare < needed) missing.set(of, needed - spare);
    };
    if (tokenId === undefined) await need(undefined, amount + costMax);
    else {
      await need(tokenId, amount);
      await need(undefined, costMax);
    }
    return missing;
  }

  /** If the coin is not an asset of the venue, the ledger does not account for gas, and this is always true. */
  canPayGas(costMax: bigint): boolean {
    if (this.#costsLeft === undefined || this.#costsLeft >= this.gasParts(costMax)) return true;
    this.#costsRefused ??= this.gasParts(costMax);
    return false;
  }

  /** What network-costs could not pay in this round, and what it has left; in the ledger's parts of the coin. */
  get shortCosts(): { readonly needed: bigint; readonly left: bigint } | undefined {
    const [needed, left] = [this.#costsRefused, this.#costsLeft];
    return needed === undefined || left === undefined ? undefined : { needed, left };
  }

  /** In the ledger's parts of the coin, rounded up. */
  gasParts(cost: bigint): bigint {
    if (this.#coin === undefined) return 0n;
    const { decimals, scale } = this.#coin;
    if (decimals <= scale) return cost * 10n ** BigInt(scale - decimals);
    const unit = 10n ** BigInt(decimals - scale);
    return (cost + unit - 1n) / unit;
  }

  /** It is in no block yet, so the balances still include it. */
  promise(tokenId: TokenId, amount: bigint, costMax: bigint): void {
    this.#promised.set(tokenId, (this.#promised.get(tokenId) ?? 0n) + amount);
    this.#promised.set(undefined, (this.#promised.get(undefined) ?? 0n) + costMax);
  }

  reserveGas(costMax: bigint): void {
    if (this.#costsLeft !== undefined) this.#costsLeft -= this.gasParts(costMax);
  }

  /** Above those that the venue has assigned and those that are in blocks. */
  async nextNonce(): Promise<number> {
    this.#chainNonce ??= await this.#chain.nextNonce(HOT);
    return Math.max(this.#nextNonce, this.#chainNonce);
  }

  useNonce(nonce: number): void {
    this.#nextNonce = nonce + 1;
  }

  async #spareOf(tokenId: TokenId): Promise<bigint> {
    const known = this.#balances.get(tokenId) ?? (await this.#chain.balanceOf(HOT, tokenId));
    this.#balances.set(tokenId, known);
    return known - (this.#promised.get(tokenId) ?? 0n);
  }
}
