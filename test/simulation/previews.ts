import type { State } from '../../src/core/state.ts';
import { view } from '../../src/core/views/views.ts';
import type { Command } from '../../src/domain/commands.ts';
import type { OrderRequest } from '../../src/domain/orders.ts';
import {
  type AccountIndex,
  type AssetIndex,
  type KeyIndex,
  usdPrice,
} from '../../src/domain/units.ts';
import type { HypotheticalOrder, PreviewView } from '../../src/domain/views.ts';
import { compareFigures } from './compare.ts';
import { reservedOf, totalOf } from './model/money.ts';
import { placeOrders } from './model/place.ts';
import { setMark } from './model/prices.ts';
import { settleMatch } from './model/settle.ts';
import {
  accountAt,
  freshWork,
  isPerpetual,
  type Model,
  type ModelOrder,
  marketAt,
  must,
} from './model/state.ts';
import { valueAt } from './model/values.ts';

/**
 * Compares the venue's preview of an order with the model, which places the order on a copy, without its
 * consequences. The same for estimates with hypothetical prices, fills and open orders.
 */
export function differencesInPreviews(state: State, model: Model, command: Command): string[] {
  if (command.kind !== 'place-orders') return [];
  const account = model.keys[command.by.key]?.account;
  const [order] = command.orders;
  if (account === undefined || order === undefined) return [];
  if (model.markets[order.market] === undefined) return [];
  const supposed = supposedBy(model, order);
  const isSupposed = Object.values(supposed).some((list) => list.length > 0);
  return [
    ...differencesInPreview(state, model, account, order),
    ...(isSupposed ? differencesInEstimate(state, model, account, supposed) : []),
  ];
}

function differencesInPreview(
  state: State,
  model: Model,
  account: number,
  order: OrderRequest,
): string[] {
  const copy = copyAt(model, state.timeMs);
  const key = copy.keys.findIndex((one) => one.account === account) as KeyIndex;
  placeOrders(copy, { kind: 'place-orders', by: { key }, source: 11, orders: [order] });
  const seen = view(state, 'preview', { account: account as AccountIndex, order });
  const { differences, compare } = comparison();
  compare('preview: it', previewText(seen), expectedText(copy));
  compareFigures(seen.account, copy, account, 'preview', compare);
  return differences;
}

const previewText = (seen: PreviewView): string => {
  if (seen.refused !== undefined) return `is refused ${seen.refused.reason}`;
  const fills = seen.fills.map(({ priceTicks, lots }) => `${lots} at ${priceTicks}`);
  const fees = seen.fees.filter(({ amount }) => amount !== 0n);
  const feeTexts = fees.map(({ asset, amount }) => `${amount} of ${asset}`).sort();
  return (
    `ends ${seen.status}${seen.isCut ? ' cut' : ''}, matches ${seen.matches}: ` +
    `${fills.join(', ')}; fees ${feeTexts.join(', ')}`
  );
};

/** The same, from the model's events about the placed order. */
function expectedText({ emitted }: Model): string {
  const [refused] = groupsIn(emitted, REFUSED);
  if (refused !== undefined) return `is refused ${refused['reason']}`;
  const fills = new Map<string, number>();
  const fees = new Map<string, bigint>();
  const matches = groupsIn(emitted, MATCHED);
  for (const { price = '', lots, fee, asset = '' } of matches) {
    fills.set(price, (fills.get(price) ?? 0) + Number(lots));
    if (fee !== '0') fees.set(asset, (fees.get(asset) ?? 0n) + BigInt(fee ?? 0));
  }
  const [closed] = groupsIn(emitted, CLOSED);
  const openStatus = matches.length > 0 ? 'PARTIAL_FILL' : 'OPEN';
  const fillTexts = [...fills].map(([price, lots]) => `${lots} at ${price}`);
  const feeTexts = [...fees].map(([asset, fee]) => `${fee} of ${asset}`).sort();
  return (
    `ends ${closed?.['state'] ?? openStatus}${closed?.['reason'] === 'BUSY' ? ' cut' : ''}, ` +
    `matches ${matches.length}: ${fillTexts.join(', ')}; fees ${feeTexts.join(', ')}`
  );
}
const REFUSED = /^order-refused element=0 reason=(?<reason>\w+)/;
const MATCHED =
  /^order-matched .*price=(?<price>\d+) lots=(?<lots>\d+) .*taker=\(\d+ of \d+ left \d+ fee (?<fee>\d+) in (?<asset>\d+)/;
const CLOSED = /^order-closed element=0 state=(?<state>\w+) reason=(?<reason>\w+)/;

const groupsIn = (emitted: readonly string[], pattern: RegExp): Record<string, string>[] =>
  emitted.flatMap((text) => {
    const groups = pattern.exec(text)?.groups;
    return groups === undefined ? [] : [groups];
  });

export type Supposed = {
  readonly prices: readonly { readonly asset: number; readonly factor: number }[];
  readonly fills: readonly HypotheticalOrder[];
  readonly orders: readonly HypotheticalOrder[];
};

/** The order as a fill at its price, and as an open one; prices derived from its own numbers. */
function supposedBy(model: Model, order: OrderRequest): Supposed {
  const { market, side, reduceOnly } = order;
  const one = { market, side, lots: order.sizeLots, priceTicks: order.priceTicks };
  // The gateway accepts no more than an account could hold.
  const isCounted = valueAt(marketAt(model, market), one.priceTicks, one.lots) < 2n ** 60n;
  if (one.lots === 0 || one.priceTicks === 0 || !isCounted) {
    return { prices: [], fills: [], orders: [] };
  }
  const prices = [{ asset: one.lots % 6, factor: 80 + (one.priceTicks % 40) }];
  return {
    prices: one.lots % 3 === 0 ? prices : [],
    fills: one.priceTicks % 2 === 0 ? [one] : [],
    orders: one.lots % 2 === 0 ? [{ ...one, reduceOnly }] : [],
  };
}

function differencesInEstimate(
  state: State,
  model: Model,
  account: number,
  supposed: Supposed,
): string[] {
  const copy = copyAt(model, state.timeMs);
  const prices = supposed.prices.map(({ asset, factor }) => {
    const index = must(copy.assets[asset]).index;
    return { asset: asset as AssetIndex, price: usdPrice((index * BigInt(factor)) / 100n) };
  });
  for (const { asset, price } of prices) must(copy.assets[asset]).index = price;
  copy.markets.forEach((_, market) => {
    setMark(copy, market);
  });
  for (const fill of supposed.fills) fillOnCopy(copy, account, fill);
  for (const order of supposed.orders) {
    copy.orders.push({ ...orderOf(copy, account, order), isOnItsWay: false });
  }
  const { fills, orders } = supposed;
  const ask = { account: account as AccountIndex, prices, fills, orders };
  const { differences, compare } = comparison();
  const seen = view(state, 'estimate', ask);
  if (seen !== undefined) compareFigures(seen, copy, account, 'estimate', compare);
  else compare('estimate: more than can be held', isNearlyFull(copy, account), true);
  return differences;
}

/** A balance near the largest, or orders that hold, or positions that cost as much. */
function isNearlyFull(copy: Model, account: number): boolean {
  const costs = [...accountAt(copy, account).positions.values()].map(({ cost }) => cost);
  const balances = copy.assets.flatMap((_, asset) => [
    totalOf(copy, account, asset),
    reservedOf(copy, account, asset),
  ]);
  return [...costs, ...balances].some((parts) => parts > 2n ** 60n || parts < -(2n ** 60n));
}

const STRANGER = 9_999;

/** Against a counterparty outside this venue. */
function fillOnCopy(copy: Model, account: number, fill: HypotheticalOrder): void {
  const taker = orderOf(copy, account, fill);
  copy.families.push({ ...must(copy.families[taker.family]), name: 'stranger', accounts: [] });
  const family = copy.families.length - 1;
  copy.accounts.set(STRANGER, {
    ...accountAt(copy, account),
    accountIndex: STRANGER,
    family,
    positions: new Map(),
  });
  const side = fill.side === 'BUY' ? 'SELL' : 'BUY';
  const maker = { ...orderOf(copy, account, { ...fill, side }), account: STRANGER, family };
  settleMatch(copy, taker, maker, fill.lots);
}

function orderOf(
  copy: Model,
  account: number,
  { market, side, lots, priceTicks, reduceOnly }: HypotheticalOrder,
): ModelOrder {
  return {
    orderId: copy.nextOrderId++,
    clientOrderId: 0n,
    label: undefined,
    account,
    family: accountAt(copy, account).family,
    market,
    side,
    orderType: 'LIMIT',
    timeInForce: 'GTC',
    stpMode: 'NONE',
    triggerType: 'MARK_PRICE',
    reduceOnly: reduceOnly === true && isPerpetual(marketAt(copy, market)),
    source: 11,
    priceTicks,
    stopTicks: 0,
    totalLots: lots,
    openLots: lots,
    displayLots: undefined,
    sliceLots: lots,
    amountParts: 0n,
    plannedCost: undefined,
    filledCost: 0n,
    paidFees: new Map(),
    isWaiting: false,
    isTriggered: false,
    isOnItsWay: true,
    seat: copy.nextSeat++,
  };
}

/** A view uses the time of the last command. */
function copyAt(model: Model, timeMs: number): Model {
  const copy = structuredClone(model);
  return Object.assign(copy, { timeMs, emitted: [], work: freshWork() });
}

function comparison() {
  const differences: string[] = [];
  const compare = (what: string, venue: unknown, expected: unknown): void => {
    const [a, b] = [String(venue), String(expected)];
    if (a !== b) differences.push(what, `  venue: ${a}`, `  model: ${b}`);
  };
  return { differences, compare };
}
