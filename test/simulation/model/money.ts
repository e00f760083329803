import { heldFor } from './holds.ts';
import { type Model, must, nativeOf, type VenuePurse } from './state.ts';

/** An account's funds. `total = available + reserved`; reserved is what its open orders need. */

export const totalOf = (model: Model, account: number, asset: number): bigint =>
  model.totals.get(`${account}/${asset}`) ?? 0n;

export const reservedOf = (model: Model, account: number, asset: number): bigint =>
  model.orders
    .filter((order) => order.account === account)
    .map((order) => heldFor(model, order))
    .filter((held) => held.asset === asset)
    .reduce((sum, held) => sum + held.parts, reservedForWithdrawals(model, account, asset));

const UNFINISHED = ['PENDING', 'ON HOLD', 'IN SWEEPING', 'PROCESSING'];

/** What unfinished withdrawals of an account reserve of an asset. */
const reservedForWithdrawals = (model: Model, account: number, asset: number): bigint =>
  model.wallet.withdrawals
    .filter((one) => one.account === account && one.asset === asset)
    .filter(({ status }) => UNFINISHED.includes(status))
    .reduce((sum, { debited }) => sum + debited, 0n);

export const availableOf = (model: Model, account: number, asset: number): bigint =>
  totalOf(model, account, asset) - reservedOf(model, account, asset);

export function give(model: Model, account: number, asset: number, parts: bigint): void {
  model.totals.set(`${account}/${asset}`, totalOf(model, account, asset) + parts);
}

/** From one account to another: both sides of the movement. */
export function pay(model: Model, from: number, to: number, asset: number, parts: bigint): void {
  give(model, from, asset, -parts);
  give(model, to, asset, parts);
}

export const venueHas = (model: Model, purse: VenuePurse, asset: number): bigint =>
  model.purses.get(`${purse}/${asset}`) ?? 0n;

/** From an account to a purse of the venue; a negative amount goes the other way. */
export function payVenue(
  model: Model,
  account: number,
  purse: VenuePurse,
  asset: number,
  parts: bigint,
): void {
  give(model, account, asset, -parts);
  model.purses.set(`${purse}/${asset}`, venueHas(model, purse, asset) + parts);
}

/** Realised profit comes out of the market's clearing purse, a loss goes into it. */
export function payRealised(model: Model, account: number, market: number, parts: bigint): void {
  const { clearing } = must(model.markets[market]);
  must(model.markets[market]).clearing = clearing - parts;
  give(model, account, nativeOf(model), parts);
}
