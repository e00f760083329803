import {
  isZero,
  NONE,
  nativeText,
  plain,
  product,
  typedNumber,
  visible,
} from '../../shared/number-text.ts';
import { type Form, hasPrice, hasStop, isPerpetual, type Terms } from './form.ts';
import type { Preview } from './preview.ts';

/** What a preview says, in words. Pure. */

type Foreseen = Pick<Preview, 'status' | 'filledQuantity'>;

/**
 * Which figures of the account the order moves. Of those that it leaves alone only the current value is shown:
 * two values of different moments would look like an effect of the order. A stop that waits and an order that
 * only reduces need no margin until they are filled; spot orders hold funds, which count as collateral.
 */
export function effectOf(
  { status, filledQuantity }: Foreseen,
  form: Form,
  terms: Pick<Terms, 'type'>,
): { readonly onMargin: boolean; readonly onRatio: boolean } {
  const isFilled = !isZero(filledQuantity);
  const isOpen = status === 'OPEN' || status === 'PARTIAL_FILL';
  if (!isPerpetual(terms)) return { onMargin: false, onRatio: isFilled || isOpen };
  const isMoved = isFilled || (isOpen && !hasStop(form) && !form.isReduceOnly);
  return { onMargin: isMoved, onRatio: isMoved };
}

export type Fees = { readonly text: string; readonly full?: string | undefined };

const NATIVE = 'OX';

const feeOf = (
  amount: string,
  asset: string,
): { readonly text: string; readonly full: string } => ({
  text: `${asset === NATIVE ? visible(amount, 2, nativeText) : plain(amount)} ${asset}`,
  full: `${amount} ${asset}`,
});

export function feesText({ fees }: Pick<Preview, 'fees'>): Fees {
  const parts = fees.flatMap((fee) =>
    Object.entries(fee).map(([asset, amount]) => feeOf(amount, asset)),
  );
  if (parts.length === 0) return { text: 'none' };
  return {
    text: parts.map(({ text }) => text).join(', '),
    full: parts.map(({ full }) => full).join(', '),
  };
}

/**
 * At the venue's rate, at the price that it rests at. The asset it is paid in is known when it is matched.
 */
export function restingFeeText(
  preview: Pick<Preview, 'status' | 'remainQuantity' | 'makerFeeRate'>,
  form: Form,
  terms: Pick<Terms, 'type' | 'counter'>,
): Fees {
  // A stop may take or rest once it has triggered.
  if (hasStop(form)) return { text: NONE };
  const price = hasPrice(form) ? typedNumber(form.price) : undefined;
  const rests = preview.status === 'OPEN' || preview.status === 'PARTIAL_FILL';
  if (price === undefined || !rests || isZero(preview.remainQuantity)) return { text: 'none' };
  const value = product(price, preview.remainQuantity);
  const fee = product(isPerpetual(terms) ? product(value, '100') : value, preview.makerFeeRate);
  return feeOf(fee, isPerpetual(terms) ? NATIVE : terms.counter);
}
