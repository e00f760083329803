import { floorDiv } from '../../domain/decimal.ts';
import { RATE_ONE } from '../../domain/market.ts';
import { type AccountType, NATIVE_ASSET } from '../../domain/terms.ts';
import { type AccountIndex, type Amount, type AssetIndex, amount } from '../../domain/units.ts';
import { availableIn, purseOf } from '../ledger/ledger.ts';
import { assetIndexOf, type State } from '../state.ts';

/** LINEAR accounts are backed by dollars only; the others by every asset that is collateral. */
const LINEAR_COLLATERAL: ReadonlySet<string> = new Set(['USDT', 'USDC']);

/**
 * What backs an account, in native parts: its native balance and the other assets it may count,
 * at index price and loan-to-value. Each part is rounded down, never in the account's favour.
 */
export function collateralOf(state: State, account: AccountIndex, type: AccountType): Amount {
  const native = assetIndexOf(state, NATIVE_ASSET);
  if (native === undefined) return amount(0n);
  let sum: bigint = availableIn(state.ledger, purseOf(state.ledger, account, native));
  state.assets.forEach((asset, index) => {
    if (index === native || asset.spec.loanToValue === 0n) return;
    if (type === 'LINEAR' && !LINEAR_COLLATERAL.has(asset.spec.code)) return;
    const purse = purseOf(state.ledger, account, index as AssetIndex);
    sum += nativeValue(state, index as AssetIndex, native, availableIn(state.ledger, purse));
  });
  return amount(sum);
}

/** available x index / index(native) x loan-to-value, from one scale to the other, rounded down. */
function nativeValue(state: State, index: AssetIndex, native: AssetIndex, parts: Amount): bigint {
  const from = state.assets[index];
  const to = state.assets[native];
  if (from === undefined || to === undefined || parts === 0n || to.indexPrice === 0n) return 0n;
  return floorDiv(
    parts * from.indexPrice * from.spec.loanToValue * 10n ** BigInt(to.spec.scale),
    to.indexPrice * RATE_ONE * 10n ** BigInt(from.spec.scale),
  );
}
