import { floorDiv, textFromNumber, textFromParts } from '../../domain/decimal.ts';
import { type MarketSpec, priceText, quantityText } from '../../domain/market.ts';
import type { OrderRecord } from '../../domain/orders.ts';
import { NATIVE_PER_USD } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';
import { AVERAGE_DIGITS, settleAssetOf } from './shapes.ts';

/** Prints the figures of one market's orders: as numbers where these are exact, otherwise by bigints. */
export type MarketPrinter = {
  readonly code: string;
  price(ticks: number): string;
  quantity(lots: number): string;
  /** With all digits of the market, as the stream shows it. */
  wholeQuantity(lots: number): string;
  amount(parts: bigint): string;
  /** Cost by quantity, rounded down; see shapes.ts. */
  average(order: OrderRecord): string;
};

/** By the terms of a market: new terms are a new object. */
const printers = new WeakMap<MarketSpec, MarketPrinter>();

export function printerOf(directory: Directory, spec: MarketSpec): MarketPrinter {
  const known = printers.get(spec);
  if (known !== undefined) return known;
  const printer = newPrinter(directory, spec);
  printers.set(spec, printer);
  return printer;
}

function newPrinter(directory: Directory, spec: MarketSpec): MarketPrinter {
  const { scale } = directory.asset(settleAssetOf(directory, spec));
  const [tick, lot] = [Number(spec.tickParts), Number(spec.lotParts)];
  const priceDigits = Math.max(1, spec.priceScale);
  const perUnit = spec.type === 'FUTURE' ? NATIVE_PER_USD : 1n;
  const costFactor = 10n ** BigInt(spec.quantityScale + AVERAGE_DIGITS);
  const lotFactor = spec.lotParts * perUnit * 10n ** BigInt(scale);
  const quantityWith =
    (digitsMin: number) =>
    (lots: number): string =>
      Number.isSafeInteger(lots * lot)
        ? textFromNumber(lots * lot, spec.quantityScale, digitsMin)
        : quantityText(spec, lots, digitsMin);
  return {
    code: spec.code,
    price: (ticks) =>
      Number.isSafeInteger(ticks * tick)
        ? textFromNumber(ticks * tick, spec.priceScale, priceDigits)
        : priceText(spec, ticks, priceDigits),
    quantity: quantityWith(1),
    wholeQuantity: quantityWith(spec.quantityScale),
    amount: (parts) => (parts === 0n ? '0.0' : textFromParts(parts, scale, 1)),
    average: ({ filledCost, filledLots }) => {
      const average = floorDiv(filledCost * costFactor, BigInt(filledLots) * lotFactor);
      return textFromParts(average, AVERAGE_DIGITS, 1);
    },
  };
}
