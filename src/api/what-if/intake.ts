import { assert } from '../../domain/assert.ts';
import { textFromParts } from '../../domain/decimal.ts';
import { type MarketSpec, partsPerTickLot, quantityText } from '../../domain/market.ts';
import type { OrderRequest } from '../../domain/orders.ts';
import { isRefusal, type Refusal, refuse, shortened } from '../../domain/rejections.ts';
import { AMOUNT_LIMIT, exactNumber, USD_SCALE } from '../../domain/units.ts';
import type { Directory, HypotheticalOrder, Views } from '../../domain/views.ts';
import type { ChangeSent, HypotheticalSent, PriceSent } from '../../wire/what-if.ts';
import {
  readLimit,
  readMarket,
  readOrder,
  readQuantity,
  readReduceOnly,
  readSide,
} from '../orders/intake.ts';
import { settleAssetOf } from '../orders/shapes.ts';
import { onGrid } from '../request/grid.ts';
import { membersOf, textOf } from '../request/members.ts';
import { namedAsset } from '../request/names.ts';
import { quantityParts } from '../request/quantity.ts';

/**
 * Hypothetical elements, parsed as strictly as a real order. One element that cannot be parsed refuses the
 * whole request: otherwise the figures would be for something else.
 */
export type Supposed = Omit<Views['estimate']['query'], 'account'>;
type SupposedSent = {
  readonly prices?: readonly PriceSent[];
  readonly balances?: readonly ChangeSent[];
  readonly fills?: readonly HypotheticalSent[];
  readonly orders?: readonly HypotheticalSent[];
};

export function readSupposed(directory: Directory, sent: SupposedSent): Supposed | Refusal {
  const prices = readAll('prices', sent.prices, (one) => readIndexPrice(directory, one));
  if (isRefusal(prices)) return prices;
  const changes = readAll('balances', sent.balances, (one) => readChange(directory, one));
  if (isRefusal(changes)) return changes;
  const fills = readAll('fills', sent.fills, (one) => readHypothetical(directory, one));
  if (isRefusal(fills)) return fills;
  const orders = readAll('orders', sent.orders, (one) => readOpen(directory, one));
  if (isRefusal(orders)) return orders;
  return checkValue(directory, [...fills, ...orders]) ?? { prices, changes, fills, orders };
}

/** The order of a preview. A limit order by amount is one for the lots that the amount buys at its limit. */
export function readPreviewed(directory: Directory, sent: unknown): OrderRequest | Refusal {
  const order = readOrder(directory, sent);
  if (isRefusal(order) || order.amountParts === 0n || order.priceTicks === 0) return order;
  const perTickLot = perTickLotOf(directory, directory.market(order.market));
  const sizeLots = exactNumber(order.amountParts / (BigInt(order.priceTicks) * perTickLot));
  return { ...order, sizeLots, amountParts: 0n };
}

/** Names the element, since there may be fifty. */
function readAll<Sent, Read extends object>(
  name: string,
  sent: readonly Sent[] | undefined,
  read: (one: Sent) => Read | Refusal,
): readonly Read[] | Refusal {
  const all: Read[] = [];
  for (const [at, one] of (sent ?? []).entries()) {
    const found = read(one);
    if (isRefusal(found)) return { ...found, message: `${found.message} (${name}[${at}])` };
    all.push(found);
  }
  return all;
}

/** The lowest price at which marks can still be counted in ticks, whatever two prices a spot market has. */
const PRICE_MIN = 10_000n;
const PRICE_MAX = 1_000_000n * 10n ** BigInt(USD_SCALE);

type IndexPrice = Supposed['prices'][number];

function readIndexPrice(directory: Directory, sent: unknown): IndexPrice | Refusal {
  const members = membersOf(sent);
  const code = textOf(members, 'asset');
  if (code === undefined) return refuse('ASSET_UNKNOWN', 'asset is missing');
  const asset = namedAsset(directory, code);
  if (typeof asset === 'object') return asset;
  const text = textOf(members, 'price');
  if (text === undefined) return refuse('PRICE_OFF_TICK', 'price is missing');
  const read = onGrid('price', text, { name: 'tick', stepParts: 1n, scale: USD_SCALE });
  if ('fault' in read && read.fault !== 'too large') {
    const isPositive = read.fault !== 'not positive';
    return refuse(isPositive ? 'PRICE_OFF_TICK' : 'PRICE_NOT_POSITIVE', read.why);
  }
  const price = 'steps' in read ? BigInt(read.steps) : PRICE_MAX + 1n;
  if (price >= PRICE_MIN && price <= PRICE_MAX) return { asset, price };
  const nearest = textFromParts(price < PRICE_MIN ? PRICE_MIN : PRICE_MAX, USD_SCALE);
  return refuse(
    'PRICE_OFF_TICK',
    `price ${shortened(text)} is beyond what can be supposed; nearest ${nearest}`,
  );
}

type Change = NonNullable<Supposed['changes']>[number];

function readChange(directory: Directory, sent: unknown): Change | Refusal {
  const members = membersOf(sent);
  const code = textOf(members, 'asset');
  if (code === undefined) return refuse('ASSET_UNKNOWN', 'asset is missing');
  const asset = namedAsset(directory, code);
  if (typeof asset === 'object') return asset;
  const text = textOf(members, 'quantity');
  if (text === undefined) return refuse('PARAMETER_MISSING', 'quantity');
  const parts = quantityParts(directory, asset, text);
  if (typeof parts === 'object') return parts;
  if (parts > CHANGE_MAX || parts < -CHANGE_MAX) {
    return refuse('PARAMETER_INVALID', `quantity ${shortened(text)} is more than can be supposed`);
  }
  return { asset, parts };
}
/** Fifty of them leave room for what an account holds. */
const CHANGE_MAX = AMOUNT_LIMIT / 1_000n;

function readHypothetical(directory: Directory, sent: unknown): HypotheticalOrder | Refusal {
  const members = membersOf(sent);
  const market = readMarket(directory, members);
  if (isRefusal(market)) return market;
  const side = readSide(members);
  if (typeof side === 'object') return side;
  const { spec } = market;
  const lots = readQuantity(textOf(members, 'quantity'), spec);
  if (typeof lots === 'object') return lots;
  if (lots > spec.maxOrderLots) {
    const most = quantityText(spec, spec.maxOrderLots);
    return refuse(
      'SIZE_TOO_LARGE',
      `quantity ${quantityText(spec, lots)} > maximum ${most}; nearest ${most}`,
    );
  }
  const priceTicks = readLimit(members, spec);
  if (typeof priceTicks === 'object') return priceTicks;
  return { market: market.index, side, lots, priceTicks };
}

/** A hypothetical resting order; it may be reduce-only. */
function readOpen(directory: Directory, sent: unknown): HypotheticalOrder | Refusal {
  const order = readHypothetical(directory, sent);
  if (isRefusal(order)) return order;
  const reduceOnly = readReduceOnly(membersOf(sent), directory.market(order.market));
  return typeof reduceOnly === 'object' ? reduceOnly : { ...order, reduceOnly };
}

/** All of it together must be something that an account could hold. */
function checkValue(
  directory: Directory,
  supposed: readonly HypotheticalOrder[],
): Refusal | undefined {
  let sum = 0n;
  for (const { market, lots, priceTicks } of supposed) {
    const perTickLot = perTickLotOf(directory, directory.market(market));
    sum += BigInt(lots) * BigInt(priceTicks) * perTickLot;
  }
  return sum < VALUE_MAX ? undefined : beyondHolding();
}
const VALUE_MAX = AMOUNT_LIMIT / 2n;

export const beyondHolding = (): Refusal =>
  refuse('SIZE_TOO_LARGE', 'the fills and orders are worth more than can be held');

function perTickLotOf(directory: Directory, spec: MarketSpec): bigint {
  const { scale } = directory.asset(settleAssetOf(directory, spec));
  const parts = partsPerTickLot(spec, scale);
  assert(parts !== undefined, 'a tick times a lot is a whole number of parts');
  return parts;
}
