import type { NetworkWork } from '../../domain/chain-work.ts';
import { amount } from '../../domain/units.ts';
import type { Engine } from '../../engine/engine.ts';
import { type Chain, HOT } from '../chains/chain.ts';
import { costMax } from '../chains/fees.ts';
import { submit } from './engine-calls.ts';
import type { ChainAsset, NetworkTerms } from './network-terms.ts';

/**
 * What a withdrawal costs its user: the maximum network fee, in the withdrawn asset, by index prices. It is
 * computed once a minute and submitted when it has changed by a tenth, so that an idle venue stays idle. A
 * fee that an operator has fixed is left alone.
 */
export type FollowerOptions = {
  readonly engine: Engine;
  readonly chain: Chain;
  readonly terms: NetworkTerms;
  readonly nowMs: () => number;
};

const PAUSE_MS = 60_000;
/** A change of less than one part in this many is ignored. */
const NOTICEABLE = 10n;
/** Significant digits of a fee: a price list, not a measurement. */
const DIGITS = 3;

export class FeeFollower {
  readonly #options: FollowerOptions;
  #checkedAtMs: number | undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  async step({ ways }: NetworkWork): Promise<void> {
    const { engine, terms, nowMs } = this.#options;
    if (this.#checkedAtMs !== undefined && nowMs() - this.#checkedAtMs < PAUSE_MS) return;
    this.#checkedAtMs = nowMs();
    for (const known of terms.assets) {
      const way = ways.find(({ asset }) => asset === known.asset);
      if (known.isFeeFree || way === undefined || way.isFeeFixed) continue;
      const fee = await this.#feeOf(known);
      if (fee === undefined || !isNoticeable(way.fee, fee)) continue;
      const { network } = terms;
      // It may be refused because another change was less than a minute ago: the next check will do.
      await submit(engine, {
        kind: 'set-withdrawal-fee',
        network,
        asset: known.asset,
        fee: amount(fee),
      });
    }
  }

  async #feeOf({ asset, tokenId, scale, decimals }: ChainAsset): Promise<bigint | undefined> {
    const { engine, chain, terms } = this.#options;
    const { coin } = terms;
    if (coin === undefined) return undefined;
    const draft = { from: HOT, to: chain.addressOf(HOT), tokenId, amount: 1n };
    const cost = costMax((await chain.estimateFee(draft)).fee);
    const prices = engine.indexPrices();
    const coinPrice = prices[coin.asset]?.price ?? 0n;
    const ownPrice = prices[asset]?.price ?? 0n;
    if (coinPrice === 0n || ownPrice === 0n) return undefined;
    const above = cost * coinPrice * 10n ** BigInt(scale);
    const fee = upTo(above, ownPrice * 10n ** BigInt(coin.decimals));
    // The destination gets the rest, so the chain must be able to represent it, too.
    const step = decimals < scale ? 10n ** BigInt(scale - decimals) : 1n;
    const rounded = shortened(fee);
    return upTo(rounded, step) * step;
  }
}

const upTo = (above: bigint, below: bigint): bigint => (above + below - 1n) / below;

/** Rounded up to a few significant digits. */
function shortened(fee: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, fee.toString().length - DIGITS));
  return upTo(fee, unit) * unit;
}

function isNoticeable(before: bigint, now: bigint): boolean {
  const change = now > before ? now - before : before - now;
  return change * NOTICEABLE >= before && change > 0n;
}
