import { floorDiv, ratioOf, timesRatioDown } from '../../domain/decimal.ts';
import { RATE_ONE } from '../../domain/market.ts';
import { type AccountIndex, type Amount, type AssetIndex, amount } from '../../domain/units.ts';
import { availableIn, purseOf } from '../memory/ledger.ts';
import type { Account, Asset, State } from '../state.ts';

/** What holdings other than native are worth in native parts: at index prices, and at loan-to-value. */

/** LINEAR accounts are backed by dollars only; the others by every asset that is collateral. */
const LINEAR_COLLATERAL: ReadonlySet<string> = new Set(['USDT', 'USDC']);

/** Whether the account's holding of an asset counts as collateral. */
export const isCounted = (state: State, account: Account, asset: AssetIndex): boolean =>
  account.accountType !== 'LINEAR' ||
  asset === state.native ||
  LINEAR_COLLATERAL.has(state.assets[asset]?.spec.code ?? '');

/** Holdings other than native, at index and loan-to-value. */
export function otherCollateral(
  state: State,
  accountIndex: AccountIndex,
  account: Account,
): bigint {
  const { assets, native } = state;
  let sum = 0n;
  for (let index = 0; index < assets.length; index++) {
    if (index === native) continue;
    sum += collateralIn(state, accountIndex, account, index as AssetIndex);
  }
  return sum;
}

/** What the account's holding of one asset adds to its collateral: with unrealised PnL, these make up all of it. */
export function collateralIn(
  state: State,
  accountIndex: AccountIndex,
  account: Account,
  asset: AssetIndex,
): bigint {
  const held = availableIn(state.ledger, purseOf(state.ledger, accountIndex, asset));
  if (held === 0n || !isCounted(state, account, asset)) return 0n;
  return collateralValue(state, asset, held);
}

/**
 * What the collateral loses if this much of an asset is no longer available: its value now less that of what
 * stays. The value of what goes may be a part less, which would round in the account's favour.
 */
export function collateralOf(
  state: State,
  accountIndex: AccountIndex,
  asset: AssetIndex,
  parts: bigint,
): bigint {
  const account = state.accounts[accountIndex];
  if (account === undefined || account === null || !isCounted(state, account, asset)) return 0n;
  const held = availableIn(state.ledger, purseOf(state.ledger, accountIndex, asset));
  const staying = amount(held - parts);
  return collateralValue(state, asset, held) - collateralValue(state, asset, staying);
}

/** An asset's `collateral` before there are prices. */
export const newCollateralTerms = (): Asset['collateral'] => ({
  price: 0n,
  nativePrice: 0n,
  ratio: ratioOf(0n, 1n),
});

/**
 * Called with every round of prices: precomputes the factors of holdings, so that most are valued in 64 bits.
 * Only for prices that have moved: reducing a factor takes longer than the rest of the round.
 */
export function prepareCollateral(state: State): void {
  const native = state.assets[state.native];
  if (native === undefined || native.indexPrice === 0n) return;
  for (const asset of state.assets) {
    const { collateral, spec, indexPrice } = asset;
    const isPrepared =
      collateral.price !== 0n &&
      collateral.price === indexPrice &&
      collateral.nativePrice === native.indexPrice;
    if (isPrepared) continue;
    collateral.price = indexPrice;
    collateral.nativePrice = native.indexPrice;
    collateral.ratio = ratioOf(
      indexPrice * spec.loanToValue * 10n ** BigInt(native.spec.scale),
      native.indexPrice * RATE_ONE * 10n ** BigInt(spec.scale),
    );
  }
}

/** available x index / index(native) x loan-to-value, from one scale to the other, rounded down. */
export function collateralValue(state: State, index: AssetIndex, parts: Amount): bigint {
  const asset = state.assets[index];
  const native = state.assets[state.native];
  if (asset === undefined || native === undefined) return 0n;
  const { price, nativePrice, ratio } = asset.collateral;
  // Hypothetical prices are set without precomputing anything.
  const isPrepared =
    asset !== native && price === asset.indexPrice && nativePrice === native.indexPrice;
  return isPrepared
    ? timesRatioDown(parts, ratio)
    : valueInNative(state, index, parts, asset.spec.loanToValue);
}

/** The same without loan-to-value: what a holding is worth, collateral or not. */
export const indexValue = (state: State, index: AssetIndex, parts: Amount): bigint =>
  valueInNative(state, index, parts, RATE_ONE);

function valueInNative(state: State, index: AssetIndex, parts: Amount, rate: bigint): bigint {
  if (index === state.native) return parts;
  const from = state.assets[index];
  const to = state.assets[state.native];
  if (from === undefined || to === undefined || parts === 0n || to.indexPrice === 0n) return 0n;
  return floorDiv(
    parts * from.indexPrice * rate * 10n ** BigInt(to.spec.scale),
    to.indexPrice * RATE_ONE * 10n ** BigInt(from.spec.scale),
  );
}
