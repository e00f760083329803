import type { OrderSent } from '../../../src/client/index.ts';
import {
  compare,
  decimalsOf,
  fixed,
  grouped,
  isZero,
  product,
  shown,
  toStep,
  typedNumber,
} from '../../shared/number-text.ts';
import { refusedAs } from '../../shared/refused-members.ts';
import { typedFault } from '../../shared/typed-fault.ts';
import { takenNearest } from '../price-band.ts';

/** The ticket as data: what is typed, the resulting order, and the text of its button. Pure. */

export const KINDS = ['LIMIT', 'MARKET', 'STOP_LIMIT', 'STOP_MARKET'] as const;
export type Kind = (typeof KINDS)[number];
export type Field = 'price' | 'stopPrice' | 'size' | 'display';

export type Form = {
  readonly side: 'BUY' | 'SELL';
  readonly kind: Kind;
  readonly price: string;
  readonly stopPrice: string;
  readonly triggerType: 'MARK_PRICE' | 'LAST_PRICE';
  readonly size: string;
  /** On a spot BUY the size may be an amount to spend, in the counter asset. */
  readonly isAmount: boolean;
  /** On a perpetual the size may be a value, in the native asset. */
  readonly isWorth: boolean;
  readonly timeInForce: NonNullable<OrderSent['timeInForce']>;
  readonly isReduceOnly: boolean;
  readonly hasDisplay: boolean;
  readonly display: string;
  readonly selfTrade: NonNullable<OrderSent['selfTradePreventionMode']>;
};

export type Terms = {
  readonly marketCode: string;
  readonly type: string;
  readonly base: string;
  readonly counter: string;
  readonly tickSize: string;
  readonly minSize: string;
  readonly markPrice: string;
  readonly lowerPriceBound?: string | undefined;
  readonly upperPriceBound?: string | undefined;
};

export const EMPTY_FORM: Form = {
  side: 'BUY',
  kind: 'LIMIT',
  price: '',
  stopPrice: '',
  triggerType: 'MARK_PRICE',
  size: '',
  isAmount: false,
  isWorth: false,
  timeInForce: 'GTC',
  isReduceOnly: false,
  hasDisplay: false,
  display: '',
  selfTrade: 'NONE',
};

export const IN_FORCE = [
  { name: 'GTC', label: 'Until canceled' },
  { name: 'IOC', label: 'Immediate or cancel' },
  { name: 'FOK', label: 'Fill or kill' },
  { name: 'MAKER_ONLY', label: 'Post only' },
  { name: 'MAKER_ONLY_REPRICE', label: 'Post only, reprice' },
] as const;

export const isPerpetual = ({ type }: Pick<Terms, 'type'>): boolean => type === 'FUTURE';
export const hasPrice = ({ kind }: Form): boolean => kind === 'LIMIT' || kind === 'STOP_LIMIT';
export const hasStop = ({ kind }: Form): boolean => kind.startsWith('STOP');
const takesAmount = (form: Form, terms: Terms): boolean =>
  !isPerpetual(terms) && form.side === 'BUY' && form.isAmount;

/**
 * The form after a change of some of its members. A number never changes its unit: only a purchase has an
 * amount, so one that was typed does not become the size of a sale.
 */
export function changed(form: Form, part: Partial<Form>): Form {
  const next = { ...form, ...part };
  if (!next.isAmount || next.side === 'BUY') return next;
  return { ...next, isAmount: false, size: part.size ?? '' };
}

/** The size in the base asset, or as typed if it is invalid; a value is rounded down to whole lots. */
export function sizeInBase(form: Form, terms: Terms): string {
  const worth = typedNumber(form.size);
  if (!form.isWorth || !isPerpetual(terms) || worth === undefined) return form.size;
  const price = (hasPrice(form) ? typedNumber(form.price) : undefined) ?? terms.markPrice;
  const size = Number(worth) / NATIVE_PER_USD / Number(price);
  return Number.isFinite(size) ? toStep(size.toFixed(12), terms.minSize, 'down') : '';
}
const NATIVE_PER_USD = 100;

export type Faults = Readonly<Partial<Record<Field, string>>>;
export type Made = { readonly order: OrderSent } | { readonly faults: Faults };

/** The order exactly as it will be sent; what cannot be parsed is reported at its field. */
export function orderOf(form: Form, terms: Terms): Made {
  const faults: Partial<Record<Field, string>> = {};
  const read = (field: Field, typed: string): string => {
    const fault = typedFault(typed);
    if (fault !== undefined) faults[field] = fault;
    return typedNumber(typed) ?? '';
  };
  const isByAmount = takesAmount(form, terms);
  const size = read('size', sizeInBase(form, terms));
  if (form.isWorth && faults.size === 'must be above 0') faults.size = 'is less than one lot';
  const prices = {
    ...(form.kind === 'LIMIT' ? { price: read('price', form.price) } : {}),
    ...(form.kind === 'STOP_LIMIT' ? { limitPrice: read('price', form.price) } : {}),
    ...(hasStop(form)
      ? { stopPrice: read('stopPrice', form.stopPrice), triggerType: form.triggerType }
      : {}),
  };
  const display =
    form.hasDisplay && hasPrice(form) ? { displayQuantity: read('display', form.display) } : {};
  if (Object.keys(faults).length > 0) return { faults };
  return {
    order: {
      marketCode: terms.marketCode,
      side: form.side,
      orderType: form.kind,
      ...(isByAmount ? { amount: size } : { quantity: size }),
      ...prices,
      ...display,
      // A market order ends at once: the venue accepts no other time in force for it.
      ...(hasPrice(form) ? { timeInForce: form.timeInForce } : {}),
      ...(form.isReduceOnly && isPerpetual(terms) ? { reduceOnly: true } : {}),
      ...(form.selfTrade === 'NONE' ? {} : { selfTradePreventionMode: form.selfTrade }),
    },
  };
}

const SIDE_WORD = { BUY: 'Buy', SELL: 'Sell' } as const;

/** "Buy 0.2500 BTC at 60,405": the whole order, in the button. */
export function buttonText(form: Form, terms: Terms): string {
  const side = SIDE_WORD[form.side];
  const size = typedNumber(sizeInBase(form, terms));
  const unit = takesAmount(form, terms) ? terms.counter : terms.base;
  if (size === undefined || isZero(size)) return `${side} ${terms.base}`;
  const decimals = takesAmount(form, terms) ? decimalsOf(size) : decimalsOf(terms.minSize);
  const kept = Math.max(decimals, decimalsOf(size));
  const what = `${side} ${grouped(fixed(size, kept))} ${unit}`;
  const price = hasPrice(form) ? typedNumber(form.price) : 'market';
  const stop = hasStop(form) ? typedNumber(form.stopPrice) : 'none';
  // Without a price that is yet to be typed it is no whole order, and no market order either.
  if (price === undefined || stop === undefined) return what;
  const at = `${what} at ${hasPrice(form) ? grouped(price) : price}`;
  return hasStop(form) ? `${at}, stop ${grouped(stop)}` : at;
}

/** The value of the order: price x size, in the native asset (100 to the dollar) on perpetuals. */
export function valueText(form: Form, terms: Terms, marketPrice: string): string | undefined {
  const size = typedNumber(sizeInBase(form, terms));
  if (size === undefined) return undefined;
  if (takesAmount(form, terms)) return size;
  const price = hasPrice(form) ? typedNumber(form.price) : undefined;
  const value = product(price ?? marketPrice, size);
  return isPerpetual(terms) ? product(value, '100') : value;
}

type Level = readonly [price: number, quantity: number];
/** The book may move a little between the choice of a share and the order. */
const ROOM = 1.001;

/**
 * What one of the base asset takes of the buying power. A sale on a spot market takes only what is sold: 1.
 * A market order has no price, whatever stands in the field that it does not show. The venue holds what a
 * purchase would cost in the book, so the worst level counts that is reached when so much is spent.
 */
export function sharePrice(
  form: Form,
  terms: Terms,
  of: { readonly spent: string; readonly asks: readonly Level[] },
): string {
  const isSpot = !isPerpetual(terms);
  if (isSpot && form.side === 'SELL') return '1';
  const typed = hasPrice(form) ? typedNumber(form.price) : undefined;
  if (typed !== undefined) return typed;
  if (!isSpot || of.asks.length === 0) return terms.markPrice;
  let left = Number(of.spent);
  const worst = of.asks.find(([price, quantity]) => {
    left -= price * quantity;
    return left <= 0;
  });
  // Beyond the known levels no price is reserved that is above the band.
  if (worst === undefined && Number(terms.upperPriceBound) > 0) return terms.upperPriceBound ?? '';
  return (((worst ?? of.asks.at(-1))?.[0] ?? 0) * ROOM).toFixed(8);
}

/** A share of the buying power, in whole percent. */
export const amountOfShare = (share: number, power: string): string =>
  product(product(power, String(Math.round(share))), '0.01');

/** The inverse, in whole percent: the slider's position for a typed size. */
export function shareOfSize(form: Form, terms: Terms, power: string, price: string): number {
  const size = Number(typedNumber(sizeInBase(form, terms)) ?? '0');
  const worth = takesAmount(form, terms) ? size : size * Number(price);
  const share = Math.round((worth / Number(power)) * 100);
  return Number.isFinite(share) ? Math.min(100, share) : 0;
}

/** The ticket's names of order members. */
const PLACES = {
  price: 'price',
  limitPrice: 'price',
  stopPrice: 'stopPrice',
  triggerType: 'stopPrice',
  quantity: 'size',
  amount: 'size',
  displayQuantity: 'display',
  timeInForce: 'timeInForce',
  reduceOnly: 'reduceOnly',
  selfTradePreventionMode: 'selfTrade',
} as const;
type Member = keyof typeof PLACES;
/** Where an error can be shown. */
export type Place = (typeof PLACES)[Member];

export type Refused = {
  /** Undefined if it is about no field: then it is shown at the button. */
  readonly field: Place | undefined;
  readonly words: string;
  readonly nearest: string | undefined;
};

const isField = (place: Place | undefined): place is Field =>
  ['price', 'stopPrice', 'size', 'display'].includes(place ?? '');

/** The venue's refusal, at the field of the ticket that it is about. */
export function refusedIn(form: Form, terms: Terms, code: string, message: string): Refused {
  const members = (Object.keys(PLACES) as Member[]).filter((member) =>
    isShown(member, form, terms),
  );
  const { field: member, nearest } = refusedAs(code, message, members);
  const field = member === undefined ? undefined : PLACES[member as Member];
  const isUsable = isField(field) && nearest !== undefined;
  return {
    field,
    words: `${code}: ${message}`,
    nearest: isUsable ? takenNearest(member, nearest, terms) : undefined,
  };
}

function isShown(member: Member, form: Form, terms: Terms): boolean {
  if (member === 'price') return form.kind === 'LIMIT';
  if (member === 'limitPrice') return form.kind === 'STOP_LIMIT';
  if (member === 'stopPrice' || member === 'triggerType') return hasStop(form);
  if (member === 'amount') return takesAmount(form, terms);
  if (member === 'quantity') return !takesAmount(form, terms);
  if (member === 'displayQuantity') return form.hasDisplay && hasPrice(form);
  if (member === 'timeInForce') return hasPrice(form);
  return member !== 'reduceOnly' || isPerpetual(terms);
}

export type ExpectedFill = {
  readonly avgFillPrice?: string | undefined;
  readonly marginRatio?: string | undefined;
};

const SLIPPAGE_MAX = 0.005;
const THROUGH_MAX = 0.02;
const RATIO_MAX = 40;
const UNUSUAL_TIMES = 10;

/** The prices that the venue compares a stop with. */
export type Prices = { readonly markPrice: string; readonly last: string };

/** A stop that the market has already reached does not wait: the venue triggers it at once. */
export function isStopReached(form: Form, prices: Prices | undefined): boolean {
  const stop = hasStop(form) ? typedNumber(form.stopPrice) : undefined;
  const now = form.triggerType === 'MARK_PRICE' ? prices?.markPrice : prices?.last;
  // Nothing was traded yet: no last price.
  if (stop === undefined || now === undefined || isZero(now)) return false;
  return form.side === 'BUY' ? compare(now, stop) >= 0 : compare(now, stop) <= 0;
}

/** Why the order should be confirmed before it is sent; undefined for an ordinary one. */
export function reasonToConfirm(
  form: Form,
  expected: ExpectedFill,
  {
    best,
    confirmsMarket,
    usual,
    prices,
  }: {
    readonly best: string | undefined;
    readonly confirmsMarket: boolean;
    /** The usual order size in this market, if there is one. */
    readonly usual?: number | undefined;
    readonly prices?: Prices | undefined;
  },
): string | undefined {
  const sign = form.side === 'BUY' ? 1 : -1;
  const reference = Number(best);
  if (expected.avgFillPrice !== undefined && reference > 0) {
    const slippage = (sign * (Number(expected.avgFillPrice) - reference)) / reference;
    if (slippage > SLIPPAGE_MAX) return `Slippage ${(slippage * 100).toFixed(1)} %. Send?`;
  }
  const price = hasPrice(form) ? typedNumber(form.price) : undefined;
  if (price !== undefined && reference > 0 && !hasStop(form)) {
    const through = (sign * (Number(price) - reference)) / reference;
    if (through > THROUGH_MAX) return `${(through * 100).toFixed(1)} % through the market. Send?`;
  }
  if (expected.marginRatio !== undefined && compare(expected.marginRatio, String(RATIO_MAX)) > 0) {
    return `Margin ratio ${shown(expected.marginRatio, 1)} after it. Send?`;
  }
  const size = Number(typedNumber(form.size));
  if (usual !== undefined && !form.isAmount && !form.isWorth && size > usual * UNUSUAL_TIMES) {
    return `${Math.floor(size / usual)} times the usual size. Send?`;
  }
  if (isStopReached(form, prices)) return 'The stop triggers at once. Send?';
  return form.kind === 'MARKET' && confirmsMarket ? `${marketWords(form)} now?` : undefined;
}

const marketWords = ({ side }: Form): string => `${SIDE_WORD[side]} at market`;

const ENOUGH = 3;

/** The median of the last sizes, if there are enough. */
export function usualSize(sizes: readonly string[] | undefined): number | undefined {
  if (sizes === undefined || sizes.length < ENOUGH) return undefined;
  const sorted = sizes.map(Number).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}

/** What the ticket says about a market that is not open. A halted one accepts no cancels either. */
export const stateWords = (state: string, reason: string | undefined): string =>
  state === 'HALTED'
    ? `Trading is halted${because(reason)}. Orders stay as they are until the market opens.`
    : `No new orders${because(reason)}. Those that are open can be cancelled.`;

const because = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);
