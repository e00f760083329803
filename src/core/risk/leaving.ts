import { assert } from '../../domain/assert.ts';
import { textFromParts } from '../../domain/decimal.ts';
import type { AccountIndex, Amount, AssetIndex } from '../../domain/units.ts';
import type { State } from '../state.ts';
import { collateralOf } from './collateral.ts';
import { isBelow50, isUnlevered, marginOf } from './margin.ts';
import type { Margin } from './margin-figures.ts';

/**
 * Money that backs positions or open orders must stay; unrealised profit does not count here. Returns why
 * this amount may not leave the account; undefined if it may.
 */
export function riskOfLeaving(
  state: State,
  from: AccountIndex,
  asset: AssetIndex,
  parts: Amount,
): string | undefined {
  const account = state.accounts[from];
  assert(account !== undefined && account !== null, 'money leaves an account');
  if (isUnlevered(state, from, account)) return undefined;
  const { margin, collateral } = marginAfterLeaving(state, from, asset, parts);
  if (margin.initial === 0n) return undefined;
  if (collateral >= margin.initial && isBelow50({ ...margin, collateral })) return undefined;
  const scale = state.assets[state.native]?.spec.scale ?? 0;
  return (
    `collateral without unrealised profit ${textFromParts(collateral, scale)} < ` +
    `initial margin ${textFromParts(margin.initial, scale)} after it`
  );
}

/** The current margin, and the collateral that would be left without unrealised profit. */
export function marginAfterLeaving(
  state: State,
  from: AccountIndex,
  asset: AssetIndex,
  parts: Amount,
): { readonly margin: Margin; readonly collateral: bigint } {
  const account = state.accounts[from];
  assert(account !== undefined && account !== null, 'money leaves an account');
  const margin = marginOf(state, from, account);
  const gone = collateralOf(state, from, asset, parts);
  return { margin, collateral: margin.collateral - margin.profit - gone };
}
