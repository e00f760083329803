import { assert } from '../../domain/assert.ts';
import { textFromParts } from '../../domain/decimal.ts';
import type { AccountIndex, Amount, AssetIndex } from '../../domain/units.ts';
import type { State } from '../state.ts';
import { collateralValue, isCounted } from './collateral.ts';
import { isBelow50, isUnlevered, marginOf } from './margin.ts';

/**
 * Money that backs positions or open orders stays; profit that is not realised backs nothing here.
 * Returns why so much may not leave the account, in words; undefined where it may.
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
  const margin = marginOf(state, from, account);
  if (margin.initial === 0n) return undefined;
  let collateral = margin.collateral - margin.profit;
  if (isCounted(state, account, asset)) collateral -= collateralValue(state, asset, parts);
  if (collateral >= margin.initial && isBelow50({ ...margin, collateral })) return undefined;
  const scale = state.assets[state.native]?.spec.scale ?? 0;
  return (
    `collateral without unrealised profit ${textFromParts(collateral, scale)} < ` +
    `initial margin ${textFromParts(margin.initial, scale)} after it`
  );
}
