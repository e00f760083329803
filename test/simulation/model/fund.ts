import { payVenue, venueHas } from './money.ts';
import { type Model, nativeOf } from './state.ts';
import { bigMax, bigMin } from './values.ts';

/** The insurance fund, and the deficit behind it, in native parts. */

export const fundHas = (model: Model): bigint => venueHas(model, 'insurance', nativeOf(model));

/** Pays as far as the fund has money; returns what it paid. */
export function helpFromFund(model: Model, account: number, wanted: bigint): bigint {
  const paid = bigMax(0n, bigMin(wanted, fundHas(model)));
  payVenue(model, account, 'insurance', nativeOf(model), -paid);
  return paid;
}

/** Insurance, then deficit. */
export function payMissing(model: Model, account: number, wanted: bigint): void {
  const paid = helpFromFund(model, account, wanted);
  payVenue(model, account, 'deficit', nativeOf(model), paid - wanted);
}

/** Insurance income repays the deficit first. */
export function payFund(model: Model, account: number, parts: bigint): void {
  const native = nativeOf(model);
  const repaid = bigMin(parts, bigMax(0n, -venueHas(model, 'deficit', native)));
  payVenue(model, account, 'deficit', native, repaid);
  payVenue(model, account, 'insurance', native, parts - repaid);
}
