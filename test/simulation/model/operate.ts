import type {
  CancelMarket,
  ChangeMarket,
  Command,
  MoveFunds,
  SetPrice,
} from '../../../src/domain/commands.ts';
import type { MarketSpec } from '../../../src/domain/market.ts';
import type { Fund } from '../../../src/domain/terms.ts';
import { accountNamed } from './accounts.ts';
import { bookSide } from './book.ts';
import { line } from './event-lines.ts';
import { closeOrder } from './execute.ts';
import { marginOf, mayLeave } from './margin.ts';
import { availableOf, give, venueHas } from './money.ts';
import { setIndexPrices } from './prices.ts';
import {
  assetOf,
  isPerpetual,
  type Model,
  type ModelPayOut,
  must,
  NO_ELEMENT,
  type Refusal,
} from './state.ts';
import { stopsInTurn } from './stops.ts';
import { divideHalfEven, tickSize } from './values.ts';

/** What operators do, other than accounts and the wallet. */

/**
 * Every act is a command with its actor, and is recorded unless it is refused; the clock's own steps are not
 * acts.
 */
export function recordAct(model: Model, command: Command): void {
  if (!('actor' in command) || command.actor === undefined || command.actor === 'clock') return;
  if (command.kind === 'note-refusal') return;
  const act = 'act' in command ? `${command.kind} ${command.act}` : command.kind;
  model.emitted.push(line('operator-acted', { actor: command.actor, act }));
}

/** An operator's price is above 0 and at most 10^9 USD; it takes effect immediately. */
export function setPrice(model: Model, { asset: code, price }: SetPrice): Refusal {
  const asset = model.assets.find(({ spec }) => spec.code === code);
  if (asset === undefined) return 'ASSET_UNKNOWN';
  if (price <= 0n || price > 10n ** 17n) return 'PARAMETER_INVALID';
  asset.jump = price;
  return setIndexPrices(model, {
    kind: 'set-index-prices',
    prices: [{ asset: code, price, byOperator: true }],
  });
}

/** Terms change only while the market is halted and empty. */
export function changeMarket(model: Model, change: ChangeMarket): Refusal {
  const index = model.markets.findIndex(({ spec }) => spec.code === change.market);
  const market = model.markets[index];
  if (market === undefined) return 'MARKET_UNKNOWN';
  const { tiers = market.spec.tiers, grid = market.spec } = change;
  const { tickParts, priceScale } = grid;
  const isRising = tiers.every((tier, at) => {
    const before = tiers[at - 1];
    return (
      before === undefined ||
      (tier.notionalCap > before.notionalCap && tier.leverage < before.leverage)
    );
  });
  if (isPerpetual(market) !== tiers.length > 0 || !isRising) return 'CATALOGUE_INVALID';
  const before = market.spec;
  const spec = { ...before, tickParts, priceScale, tiers };
  if (tickParts <= 0n || priceScale > 8 || !isSettledExactly(model, spec))
    return 'CATALOGUE_INVALID';
  const isUsed =
    model.orders.some((order) => order.market === index) ||
    [...model.accounts.values()].some(({ positions }) => (positions.get(index)?.lots ?? 0) !== 0);
  if (market.state !== 'HALTED' || isUsed) return 'MARKET_IN_USE';
  market.spec = spec;
  const last = BigInt(market.lastTicks) * tickSize({ ...market, spec: before });
  if (last > 0n) market.lastTicks = Number(divideHalfEven(last, tickSize(market)) || 1n);
  market.version++;
  model.emitted.push(line('market-defined'));
  return undefined;
}

/** Tick x lot must be an integer number of parts of the settlement asset. */
function isSettledExactly(model: Model, spec: MarketSpec): boolean {
  const isFuture = spec.type === 'FUTURE';
  const settle = must(model.assets[assetOf(model, isFuture ? 'OX' : spec.counter)]).spec;
  const product = spec.tickParts * spec.lotParts * (isFuture ? 100n : 1n);
  const digits = spec.priceScale + spec.quantityScale - settle.scale;
  return digits <= 0 || product % 10n ** BigInt(digits) === 0n;
}

/** At most 1,000 orders per command: the book, then orders that wait for their trigger. */
export function cancelMarket(model: Model, { market: code }: CancelMarket): Refusal {
  const index = model.markets.findIndex(({ spec }) => spec.code === code);
  if (index < 0) return 'MARKET_UNKNOWN';
  const all = [
    ...bookSide(model, index, 'BUY'),
    ...bookSide(model, index, 'SELL'),
    ...stopsInTurn(model, index),
  ];
  for (const order of all.slice(0, 1_000)) {
    closeOrder(model, order, NO_ELEMENT, 'CANCELED_BY_USER');
  }
  return undefined;
}

/**
 * No act creates funds; insurance income repays the deficit first. An account gives what a transfer could, and
 * receives what two operators ask for within a day.
 */
export function moveFunds(model: Model, command: MoveFunds): Refusal {
  const { amount } = command;
  if (!model.assets.some(({ spec }) => spec.code === command.asset)) return 'ASSET_UNKNOWN';
  const asset = assetOf(model, command.asset);
  const owed = -venueHas(model, 'deficit', asset);
  const from = holderOf(model, command.from);
  const to = holderOf(model, command.to);
  if (from === undefined || to === undefined) return 'SUB_ACCOUNT_INVALID';
  if (from === to) return 'SAME_ACCOUNT';
  if (typeof from === 'number' && typeof to === 'number') return 'PARAMETER_INVALID';
  if (from === 'deficit' || amount <= 0n) return 'PARAMETER_INVALID';
  if (amount > has(model, from, asset)) return 'AVAILABLE_TOO_LOW';
  if (to === 'deficit' && amount > owed) return 'LIMIT_REACHED';
  if (
    typeof from === 'number' &&
    !mayLeave(marginOf(model, from, { without: { asset, parts: amount } }))
  ) {
    return 'TRANSFER_RISK';
  }
  if (typeof from === 'string' && typeof to === 'number') {
    const actor = must(command.actor);
    const asked = askToPayOut(model, { from, to, asset, amount, actor });
    if (asked !== 'by two') return asked;
  }
  const repaid = to === 'insurance' ? (owed < amount ? owed : amount) : 0n;
  for (const [target, parts] of [
    ['deficit', repaid],
    [to, amount - repaid],
  ] as const) {
    if (parts === 0n) continue;
    change(model, from, asset, -parts);
    change(model, target, asset, parts);
    model.emitted.push(line('funds-moved', { from, to: target, asset, amount: parts }));
  }
  return undefined;
}

type Holder = Fund | number;

const holderOf = (model: Model, named: MoveFunds['from']): Holder | undefined =>
  typeof named === 'string' ? named : accountNamed(model, named)?.accountIndex;

const has = (model: Model, holder: Holder, asset: number): bigint =>
  typeof holder === 'string' ? venueHas(model, holder, asset) : availableOf(model, holder, asset);

function change(model: Model, holder: Holder, asset: number, parts: bigint): void {
  if (typeof holder === 'number') give(model, holder, asset, parts);
  else model.purses.set(`${holder}/${asset}`, venueHas(model, holder, asset) + parts);
}

function askToPayOut(model: Model, asked: Omit<ModelPayOut, 'askedAtMs'>): Refusal | 'by two' {
  const open = model.payOuts.filter(({ askedAtMs }) => model.timeMs - askedAtMs < DAY_MS);
  const first = open.find(
    (one) =>
      one.from === asked.from &&
      one.to === asked.to &&
      one.asset === asked.asset &&
      one.amount === asked.amount,
  );
  if (first?.actor === asked.actor) return 'REPEATED_CLICK';
  if (first !== undefined) {
    model.payOuts = open.filter((one) => one !== first);
    return 'by two';
  }
  if (open.length >= 100) return 'LIMIT_REACHED';
  model.payOuts = [...open, { ...asked, askedAtMs: model.timeMs }];
  return undefined;
}
const DAY_MS = 86_400_000;
