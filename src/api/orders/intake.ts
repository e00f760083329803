import {
  decimalFromText,
  partsFromDecimal,
  textFromParts,
  wholeFromText,
} from '../../domain/decimal.ts';
import { CLIENT_ORDER_ID_MAX } from '../../domain/ids.ts';
import { type MarketSpec, partsPerTickLot, priceText, quantityText } from '../../domain/market.ts';
import type { OrderRequest } from '../../domain/orders.ts';
import {
  isRefusal,
  type Refusal,
  type Rejection,
  refuse,
  shortened,
} from '../../domain/rejections.ts';
import {
  ORDER_TYPES,
  type OrderType,
  SIDES,
  type Side,
  STP_MODES,
  TIMES_IN_FORCE,
  type TimeInForce,
  TRIGGER_TYPES,
  type TriggerType,
} from '../../domain/terms.ts';
import { AMOUNT_LIMIT, type MarketIndex } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';
import { type Grid, onGrid } from '../request/grid.ts';
import { type Members, membersOf, textOf } from '../request/members.ts';
import { namedMarket } from '../request/names.ts';
import { readTexts } from './text-intake.ts';

/**
 * An order on the wire -> an order in ticks and lots, exact or refused.
 *
 * Only its shape is checked here, in the fixed order of the catalogue, so that a caller always gets the same
 * reason first; the core checks what depends on the state of the venue. A refusal names the rule, what was
 * sent, the limit and the nearest valid value.
 */
export function readOrder(directory: Directory, sent: unknown): OrderRequest | Refusal {
  const members = membersOf(sent);
  const market = readMarket(directory, members);
  if (isRefusal(market)) return market;
  const words = readWords(members, market.spec);
  if (isRefusal(words)) return words;
  const clientOrderId = readClientOrderId(members);
  if (typeof clientOrderId === 'object') return clientOrderId;
  const size = readSize(directory, members, market.spec, words.side);
  if (isRefusal(size)) return size;
  const prices = readPrices(members, market.spec, words);
  if (isRefusal(prices)) return prices;
  const bought = checkAmountBuys(directory, market.spec, size.amountParts, prices.priceTicks);
  if (bought !== undefined) return bought;
  const reduceOnly = readReduceOnly(members, market.spec);
  if (typeof reduceOnly === 'object') return reduceOnly;
  const texts = readTexts(members);
  if (texts !== undefined && isRefusal(texts)) return texts;
  const order: OrderRequest = {
    market: market.index,
    version: market.version,
    side: words.side,
    orderType: words.orderType,
    timeInForce: words.timeInForce,
    stpMode: words.stpMode,
    clientOrderId,
    sizeLots: size.sizeLots,
    displayLots: size.displayLots,
    amountParts: size.amountParts,
    priceTicks: prices.priceTicks,
    stopTicks: prices.stopTicks,
    triggerType: prices.triggerType,
    reduceOnly,
  };
  return texts === undefined ? order : { ...order, texts };
}

type Market = { readonly index: MarketIndex; readonly version: number; readonly spec: MarketSpec };

export function readMarket(directory: Directory, members: Members): Market | Refusal {
  const code = textOf(members, 'marketCode');
  if (code === undefined) return refuse('MARKET_REQUIRED');
  const index = namedMarket(directory, code);
  if (typeof index === 'object') return index;
  return { index, version: directory.marketVersion(index), spec: directory.market(index) };
}

type Words = Pick<OrderRequest, 'side' | 'orderType' | 'timeInForce' | 'stpMode'>;

function readWords(members: Members, spec: MarketSpec): Words | Refusal {
  const side = readSide(members);
  if (typeof side === 'object') return side;
  const orderType = readOrderType(members, spec);
  if (typeof orderType === 'object') return orderType;
  const timeInForce = readTimeInForce(members, orderType);
  if (typeof timeInForce === 'object') return timeInForce;
  const stpMode =
    readWord(members, 'selfTradePreventionMode', STP_MODES, 'STP_MODE_INVALID') ?? 'NONE';
  if (typeof stpMode === 'object') return stpMode;
  return { side, orderType, timeInForce, stpMode };
}

export const readSide = (members: Members): Side | Refusal =>
  readWord(members, 'side', SIDES, 'SIDE_INVALID') ??
  refuse('SIDE_REQUIRED', `one of ${SIDES.join(', ')}`);

function readWord<Word extends string>(
  members: Members,
  name: string,
  words: readonly Word[],
  rejected: Rejection,
): Word | Refusal | undefined {
  const text = textOf(members, name);
  if (text === undefined) return undefined;
  const word = words.find((one) => one === text);
  return word ?? refuse(rejected, `${shortened(text)} is none of ${words.join(', ')}`);
}

/** Older clients call a STOP_LIMIT order STOP. */
function readOrderType(members: Members, spec: MarketSpec): OrderType | Refusal {
  const isAlias = members['orderType'] === 'STOP';
  const orderType = isAlias
    ? 'STOP_LIMIT'
    : readWord(members, 'orderType', ORDER_TYPES, 'ORDER_TYPE_INVALID');
  if (orderType === undefined) {
    return refuse('ORDER_TYPE_REQUIRED', `one of ${ORDER_TYPES.join(', ')}`);
  }
  if (orderType === 'STOP_MARKET' && spec.type === 'SPOT') {
    return refuse('ORDER_TYPE_INVALID', 'STOP_MARKET is for perpetual markets; nearest STOP_LIMIT');
  }
  return orderType;
}

/** An order without a limit price never rests: it is IOC, unless it asks for all or nothing. */
function readTimeInForce(members: Members, orderType: OrderType): TimeInForce | Refusal {
  const isMarket = orderType === 'MARKET' || orderType === 'STOP_MARKET';
  const sent = readWord(members, 'timeInForce', TIMES_IN_FORCE, 'TIME_IN_FORCE_INVALID');
  if (sent === undefined) return isMarket ? 'IOC' : 'GTC';
  if (isMarket && (sent === 'MAKER_ONLY' || sent === 'MAKER_ONLY_REPRICE')) {
    return refuse('TIME_IN_FORCE_INVALID', `${sent} does not go with ${orderType}; nearest IOC`);
  }
  return sent;
}

/** Up to 2^63 - 1, exactly; absent and 0 both mean that the caller gave none. */
export function readClientOrderId(members: Members): bigint | Refusal {
  const text = textOf(members, 'clientOrderId');
  if (text === undefined) return 0n;
  const id = wholeFromText(text);
  if (id === undefined) {
    return refuse('CLIENT_ORDER_ID_NOT_LONG', `${shortened(text)} is no whole number`);
  }
  if (id > CLIENT_ORDER_ID_MAX) {
    const most = String(CLIENT_ORDER_ID_MAX);
    return refuse('CLIENT_ORDER_ID_NOT_LONG', `${id} is above ${most}; nearest ${most}`);
  }
  return id < 0n ? refuse('CLIENT_ORDER_ID_NEGATIVE', `${id} is below zero; nearest 1`) : id;
}

type Size = Pick<OrderRequest, 'sizeLots' | 'displayLots' | 'amountParts'>;

function readSize(
  directory: Directory,
  members: Members,
  spec: MarketSpec,
  side: Side,
): Size | Refusal {
  const amountParts = readAmount(directory, members, spec, side);
  if (typeof amountParts === 'object') return amountParts;
  const text = textOf(members, 'quantity');
  const isNone = text === undefined || decimalFromText(text)?.digits === 0n;
  if (amountParts > 0n && !isNone) {
    return refuse('AMOUNT_NOT_SUPPORTED', 'amount and quantity do not go together; leave out one');
  }
  const sizeLots = amountParts > 0n ? 0 : readQuantity(text, spec);
  if (typeof sizeLots === 'object') return sizeLots;
  const displayLots = readDisplay(members, spec, sizeLots);
  if (typeof displayLots === 'object') return displayLots;
  return { sizeLots, displayLots, amountParts };
}

/** In parts of the counter asset; 0 when none was sent. */
function readAmount(
  directory: Directory,
  members: Members,
  spec: MarketSpec,
  side: Side,
): bigint | Refusal {
  const text = textOf(members, 'amount');
  const read = text === undefined ? undefined : decimalFromText(text);
  if (text === undefined || read?.digits === 0n) return 0n;
  const counter = directory.assetByCode(spec.counter);
  if (spec.type !== 'SPOT' || side !== 'BUY' || counter === undefined) {
    return refuse('AMOUNT_NOT_SUPPORTED', `amount goes with BUY on spot, not ${side} ${spec.code}`);
  }
  const { code, scale } = directory.asset(counter);
  if (read === undefined || read.digits < 0n) {
    const least = textFromParts(1n, scale);
    return refuse(
      'AMOUNT_NOT_SUPPORTED',
      `amount ${shortened(text)} is not above zero; nearest ${least}`,
    );
  }
  const parts = partsFromDecimal(read, scale);
  if (parts === undefined) {
    const down = textFromParts(read.digits / 10n ** BigInt(read.scale - scale), scale);
    return refuse(
      'AMOUNT_NOT_SUPPORTED',
      `amount ${text} has ${read.scale} decimals, ${code} has ${scale}; nearest ${down}`,
    );
  }
  if (parts < AMOUNT_LIMIT) return parts;
  const most = textFromParts(AMOUNT_LIMIT - 1n, scale);
  return refuse('SIZE_TOO_LARGE', `amount ${text} is beyond what can be held; nearest ${most}`);
}

const lotGrid = (spec: MarketSpec): Grid => ({
  name: 'lot',
  stepParts: spec.lotParts,
  scale: spec.quantityScale,
});
const tickGrid = (spec: MarketSpec): Grid => ({
  name: 'tick',
  stepParts: spec.tickParts,
  scale: spec.priceScale,
});

export function readQuantity(text: string | undefined, spec: MarketSpec): number | Refusal {
  if (text === undefined) {
    return refuse('QUANTITY_NOT_POSITIVE', `quantity is missing; nearest ${quantityText(spec, 1)}`);
  }
  const read = onGrid('quantity', text, lotGrid(spec));
  if ('steps' in read) return read.steps;
  if (read.fault === 'too large') {
    const most = quantityText(spec, spec.maxOrderLots);
    return refuse(
      'SIZE_TOO_LARGE',
      `quantity ${shortened(text)} > maximum ${most}; nearest ${most}`,
    );
  }
  return refuse(read.fault === 'off grid' ? 'QUANTITY_OFF_LOT' : 'QUANTITY_NOT_POSITIVE', read.why);
}

/** 0 when the whole quantity is shown. */
function readDisplay(members: Members, spec: MarketSpec, sizeLots: number): number | Refusal {
  const text = textOf(members, 'displayQuantity');
  if (text === undefined) return 0;
  const read = onGrid('displayQuantity', text, lotGrid(spec));
  if (!('steps' in read)) return refuse('DISPLAY_QUANTITY_INVALID', read.why);
  if (read.steps <= sizeLots) return read.steps;
  const most = quantityText(spec, sizeLots);
  return refuse(
    'DISPLAY_QUANTITY_INVALID',
    sizeLots === 0
      ? 'displayQuantity goes with quantity, not with amount'
      : `displayQuantity ${text} is above quantity ${most}; nearest ${most}`,
  );
}

type Prices = Pick<OrderRequest, 'priceTicks' | 'stopTicks' | 'triggerType'>;

function readPrices(members: Members, spec: MarketSpec, words: Words): Prices | Refusal {
  const { orderType, side } = words;
  const triggerType = 'MARK_PRICE';
  if (orderType === 'MARKET') return { priceTicks: 0, stopTicks: 0, triggerType };
  if (orderType !== 'LIMIT') return readStop(members, spec, side, orderType === 'STOP_LIMIT');
  const priceTicks = readLimit(members, spec);
  if (typeof priceTicks === 'object') return priceTicks;
  return { priceTicks, stopTicks: 0, triggerType };
}

export function readLimit(members: Members, spec: MarketSpec): number | Refusal {
  const text = textOf(members, 'price');
  return text === undefined ? refuse('PRICE_REQUIRED') : readPrice('price', text, spec);
}

export function readPrice(name: string, text: string, spec: MarketSpec): number | Refusal {
  const read = onGrid(name, text, tickGrid(spec));
  if ('steps' in read) return read.steps;
  if (read.fault === 'not positive') return refuse('PRICE_NOT_POSITIVE', read.why);
  if (name !== 'price') return refuse('STOP_PRICE_INVALID', read.why);
  return refuse(read.fault === 'too large' ? 'PRICE_ABOVE_BAND' : 'PRICE_OFF_TICK', read.why);
}

/** `price` may stand for limitPrice, and `triggerPrice` for stopPrice: existing clients send them. */
function readStop(
  members: Members,
  spec: MarketSpec,
  side: Side,
  hasLimit: boolean,
): Prices | Refusal {
  const triggerType: TriggerType | Refusal =
    readWord(members, 'triggerType', TRIGGER_TYPES, 'TRIGGER_TYPE_INVALID') ?? 'MARK_PRICE';
  if (typeof triggerType === 'object') return triggerType;
  const stopText = textOf(members, 'stopPrice') ?? textOf(members, 'triggerPrice');
  if (stopText === undefined) return refuse('STOP_PRICE_INVALID', 'stopPrice is missing');
  const limitText = textOf(members, 'limitPrice') ?? textOf(members, 'price');
  if (hasLimit && limitText === undefined) {
    return refuse('STOP_PRICE_INVALID', 'limitPrice is missing');
  }
  const stopTicks = readPrice('stopPrice', stopText, spec);
  if (typeof stopTicks === 'object') return stopTicks;
  if (!hasLimit || limitText === undefined) return { priceTicks: 0, stopTicks, triggerType };
  const priceTicks = readPrice('limitPrice', limitText, spec);
  if (typeof priceTicks === 'object') return priceTicks;
  const isCrossed = side === 'BUY' ? stopTicks > priceTicks : priceTicks > stopTicks;
  if (!isCrossed) return { priceTicks, stopTicks, triggerType };
  const stop = priceText(spec, stopTicks);
  return refuse(
    side === 'BUY' ? 'BUY_STOP_ABOVE_LIMIT' : 'SELL_STOP_BELOW_LIMIT',
    `stopPrice ${stop}, limitPrice ${priceText(spec, priceTicks)}; nearest limitPrice ${stop}`,
  );
}

/** A limit order by amount is one for the lots that the amount buys at its limit: at least one. */
function checkAmountBuys(
  directory: Directory,
  spec: MarketSpec,
  amountParts: bigint,
  priceTicks: number,
): Refusal | undefined {
  const counter = directory.assetByCode(spec.counter);
  if (amountParts === 0n || priceTicks === 0 || counter === undefined) return undefined;
  const { scale } = directory.asset(counter);
  const lotCost = BigInt(priceTicks) * (partsPerTickLot(spec, scale) ?? 1n);
  const lots = amountParts / lotCost;
  const amount = textFromParts(amountParts, scale);
  const at = `at price ${priceText(spec, priceTicks)}`;
  if (lots === 0n) {
    return refuse(
      'QUANTITY_OFF_LOT',
      `amount ${amount} buys less than lot ${quantityText(spec, 1)} ${at}; ` +
        `nearest ${textFromParts(lotCost, scale)}`,
    );
  }
  // Whatever can be represented is checked by the core, after the band.
  if (lots <= BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  const most = textFromParts(BigInt(spec.maxOrderLots) * lotCost, scale);
  return refuse('SIZE_TOO_LARGE', `amount ${amount} buys too much ${at}; nearest ${most}`);
}

export function readReduceOnly(members: Members, spec: MarketSpec): boolean | Refusal {
  const text = textOf(members, 'reduceOnly');
  if (text === undefined || text === 'false') return false;
  if (text !== 'true') {
    return refuse('REDUCE_ONLY_INVALID', `${shortened(text)} is none of true, false`);
  }
  return spec.type === 'FUTURE' || refuse('REDUCE_ONLY_INVALID', `${spec.code} is spot`);
}
