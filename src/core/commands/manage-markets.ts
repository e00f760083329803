import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import type {
  DefineAsset,
  DefineMarket,
  DefineNetwork,
  SetMarketState,
} from '../../domain/commands.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import {
  type MarketSpec,
  partsPerLot,
  partsPerTickLot,
  RATE_ONE,
  valueRatio,
} from '../../domain/market.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import { NATIVE_ASSET } from '../../domain/terms.ts';
import type { AccountIndex, AssetIndex, MarketIndex, NetworkIndex } from '../../domain/units.ts';
import { AMOUNT_LIMIT, amount, USD_SCALE, usdPrice } from '../../domain/units.ts';
import { newBook } from '../book/book.ts';
import { newStops } from '../book/stops.ts';
import { takeOpened } from '../memory/deadlines.ts';
import { ensureAssets, purseOf } from '../memory/ledger.ts';
import { sweepStops } from '../memory/pending.ts';
import { newPremium } from '../memory/premium-samples.ts';
import { ensureMarkets, NO_STANDING } from '../memory/standings.ts';
import { newCollateralTerms } from '../risk/collateral.ts';
import { newMarketPrice, updatePrice } from '../risk/marks.ts';
import { marginTiersOf, TIERS_MAX } from '../risk/tiers.ts';
import {
  addHolder,
  assetIndexOf,
  holderIndex,
  MAY_OWE,
  type Market,
  type State,
} from '../state.ts';
import { newFeeTerms, prepareFees } from '../trading/fees.ts';

const SCALE_MAX = 18;

const isScale = (scale: number, most: number): boolean =>
  Number.isSafeInteger(scale) && scale >= 0 && scale <= most;

export function defineAsset(
  state: State,
  command: DefineAsset,
  out: ByteWriter,
): Refusal | undefined {
  const { asset: spec } = command;
  if (!/^[A-Z0-9.]{1,16}$/.test(spec.code)) return refuse('CATALOGUE_INVALID', `code ${spec.code}`);
  if (state.assetByCode.has(spec.code)) return refuse('ALREADY_EXISTS', spec.code);
  if (!isScale(spec.scale, SCALE_MAX)) {
    return refuse('CATALOGUE_INVALID', `the scale of ${spec.code} is 0 to ${SCALE_MAX}`);
  }
  if (spec.loanToValue < 0n || spec.loanToValue > RATE_ONE) {
    return refuse('CATALOGUE_INVALID', `the loan-to-value of ${spec.code} is 0 to 1`);
  }
  const asset = state.assets.length as AssetIndex;
  ensureAssets(state.ledger, asset + 1);
  const none = amount(0n);
  state.assets.push({
    spec,
    indexPrice: usdPrice(0n),
    indexAtMs: 0,
    jumpPrice: usdPrice(0n),
    isQuoted: false,
    collateral: newCollateralTerms(),
    crossed: { genesis: none, deposits: none, withdrawals: none, gas: none },
  });
  state.assetByCode.set(spec.code, asset);
  for (const holder of MAY_OWE) {
    state.ledger.mayOwe[purseOf(state.ledger, holderIndex(holder), asset)] = 1;
  }
  if (spec.code === NATIVE_ASSET) {
    state.native = asset;
    letAccountsOwe(state, asset);
  }
  if (spec.code === 'USDT') state.usdt = asset;
  encodeEvent(out, { kind: 'asset-defined', asset, spec });
  return undefined;
}

/** Accounts created before the native asset may owe it like all others. */
function letAccountsOwe(state: State, native: AssetIndex): void {
  state.accounts.forEach((account, accountIndex) => {
    if (account === null) return;
    state.ledger.mayOwe[purseOf(state.ledger, accountIndex as AccountIndex, native)] = 1;
  });
}

export function defineNetwork(
  state: State,
  command: DefineNetwork,
  out: ByteWriter,
): Refusal | undefined {
  const { network: spec } = command;
  if (state.networks.some(({ name }) => name === spec.name)) {
    return refuse('ALREADY_EXISTS', spec.name);
  }
  for (const { asset } of spec.assets) {
    if (!state.assetByCode.has(asset)) return refuse('ASSET_UNKNOWN', asset);
  }
  const network = state.networks.length as NetworkIndex;
  state.networks.push(spec);
  const none = amount(0n);
  state.wallet.networks.push({
    height: 0,
    nextNonce: 0,
    ways: spec.assets.map(({ asset }) => ({
      asset: assetIndexOf(state, asset) as AssetIndex,
      canDeposit: true,
      canWithdraw: true,
      fee: none,
      feeBefore: none,
      feeSetAtMs: 0,
      isFeeFixed: false,
    })),
  });
  encodeEvent(out, { kind: 'network-defined', network, spec });
  return undefined;
}

type Terms = {
  readonly baseAsset: AssetIndex;
  readonly settleAsset: AssetIndex;
  readonly perTickLot: bigint;
  readonly perLot: bigint;
};

export function defineMarket(
  state: State,
  command: DefineMarket,
  out: ByteWriter,
): Refusal | undefined {
  const { market: spec } = command;
  if (state.marketByCode.has(spec.code)) return refuse('ALREADY_EXISTS', spec.code);
  const fault = faultOfMarket(spec);
  if (fault !== undefined) return refuse('CATALOGUE_INVALID', `${spec.code}: ${fault}`);
  const terms = settlementTerms(state, spec);
  if (isRefusal(terms)) return terms;

  const market = state.markets.length as MarketIndex;
  if (spec.type === 'FUTURE') {
    state.hasSharedBase ||= state.markets.some(
      (other) => other.spec.type === 'FUTURE' && other.spec.base === spec.base,
    );
  }
  let clearing = -1;
  if (spec.type === 'FUTURE') {
    clearing = addHolder(state, null);
    const purse = purseOf(state.ledger, clearing as AccountIndex, terms.settleAsset);
    state.ledger.mayOwe[purse] = 1;
  }
  state.markets.push({
    spec,
    version: 1,
    ...terms,
    clearing,
    ...valueRatio(spec, state.assets[terms.settleAsset]?.spec.scale ?? 0),
    marginTiers: marginTiersOf(spec),
    listedAtMs: state.timeMs,
    state: spec.state,
    stateReason: '',
    book: newBook(),
    stops: newStops(),
    lastTicks: 0,
    lastLots: 0,
    lastMatchAtMs: 0,
    matches: 0,
    openInterestLots: 0,
    price: newMarketPrice(),
    feeTerms: newFeeTerms(),
    premium: newPremium(),
    firstStanding: NO_STANDING,
  });
  ensureMarkets(state.standings, state.markets.length);
  updatePrice(state, market);
  prepareFees(state, state.markets[market] as Market);
  state.marketByCode.set(spec.code, market);
  encodeEvent(out, { kind: 'market-defined', market, version: 1, spec });
  return undefined;
}

/** A market exists only if every trade in it can be settled exactly, in whole parts. */
export function settlementTerms(state: State, spec: MarketSpec): Terms | Refusal {
  if (state.native < 0) return refuse('ASSET_UNKNOWN', `${NATIVE_ASSET}, which fees are paid in`);
  const baseAsset = assetIndexOf(state, spec.base);
  if (baseAsset === undefined) return refuse('ASSET_UNKNOWN', spec.base);
  const settleCode = spec.type === 'FUTURE' ? NATIVE_ASSET : spec.counter;
  const settleAsset = assetIndexOf(state, settleCode);
  if (settleAsset === undefined) return refuse('ASSET_UNKNOWN', settleCode);
  const base = state.assets[baseAsset];
  const settle = state.assets[settleAsset];
  assert(base !== undefined && settle !== undefined, 'an asset index names an asset');
  const perTickLot = partsPerTickLot(spec, settle.spec.scale);
  if (perTickLot === undefined) {
    return refuse(
      'CATALOGUE_INVALID',
      `${spec.code}: tick x lot is not a whole number of the smallest part of ${settleCode}`,
    );
  }
  const perLot = spec.type === 'FUTURE' ? 0n : partsPerLot(spec, base.spec.scale);
  if (perLot === undefined) {
    return refuse(
      'CATALOGUE_INVALID',
      `${spec.code}: a lot is not a whole number of the smallest part of ${spec.base}`,
    );
  }
  return { baseAsset, settleAsset, perTickLot, perLot };
}

/** Why nothing could be computed with these terms. */
export function faultOfMarket(spec: MarketSpec): string | undefined {
  if (!isScale(spec.priceScale, USD_SCALE)) return `prices have 0 to ${USD_SCALE} decimals`;
  if (!isScale(spec.quantityScale, SCALE_MAX)) return `quantities have 0 to ${SCALE_MAX} decimals`;
  if (spec.tickParts <= 0n || spec.lotParts <= 0n) return 'tick and lot are above zero';
  if (!Number.isSafeInteger(spec.maxOrderLots) || spec.maxOrderLots < 1) {
    return 'the largest order is at least one lot';
  }
  if (spec.band <= 0n || spec.band >= RATE_ONE) return 'the band is between 0 and 1';
  if ((spec.type === 'FUTURE') !== spec.tiers.length > 0)
    return 'perpetuals, and only they, have tiers';
  if ((spec.type === 'FUTURE') !== spec.impactNotional > 0n) {
    return 'perpetuals, and only they, have an impact notional above zero';
  }
  if (spec.impactNotional >= AMOUNT_LIMIT) return 'the impact notional is below 2^62 parts';
  if (spec.tiers.length > TIERS_MAX) return `there are at most ${TIERS_MAX} tiers`;
  for (const [i, tier] of spec.tiers.entries()) {
    if (!Number.isSafeInteger(tier.leverage) || tier.leverage < 1) {
      return `the leverage of a tier is a whole number from 1, not ${tier.leverage}`;
    }
    if (tier.notionalCap <= 0n || tier.notionalCap >= AMOUNT_LIMIT) {
      return 'the cap of a tier is above zero and below 2^62 parts';
    }
    const before = spec.tiers[i - 1];
    if (before === undefined) continue;
    if (tier.notionalCap <= before.notionalCap) return 'the caps of the tiers rise';
    if (tier.leverage >= before.leverage) return 'the leverage of the tiers falls';
  }
  return undefined;
}

/** Opens, closes or halts a market; the reason is shown wherever the state is. */
export function setMarketState(
  state: State,
  command: SetMarketState,
  out: ByteWriter,
): Refusal | undefined {
  const index = state.marketByCode.get(command.market);
  const market = index === undefined ? undefined : state.markets[index];
  if (market === undefined) return refuse('MARKET_UNKNOWN', command.market);
  market.state = command.state;
  market.stateReason = command.reason;
  sweepStops(state.pending, index as MarketIndex);
  if (command.state !== 'HALTED') {
    takeOpened(state.deadlines, index as MarketIndex, state.pending.deadlines);
  }
  encodeEvent(out, {
    kind: 'market-state-set',
    market: index as MarketIndex,
    state: command.state,
    reason: command.reason,
  });
  return undefined;
}
