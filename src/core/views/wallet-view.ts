import type { AssetIndex, FamilyIndex } from '../../domain/units.ts';
import type { FamilyWalletView } from '../../domain/views.ts';
import { familyWalletOf, NEVER_MS } from '../memory/wallet.ts';
import type { State } from '../state.ts';

export function familyWalletView(state: State, family: FamilyIndex): FamilyWalletView {
  const { isWhitelistOn, addresses, factors, blockedUntilMs, lockedUntilMs } = familyWalletOf(
    state.wallet,
    family,
  );
  return {
    isWhitelistOn,
    addresses: addresses.map((one) => ({ ...one, asset: one.asset as AssetIndex })),
    factors: factors
      .filter(({ removedAtMs }) => state.timeMs < removedAtMs)
      .map(({ removedAtMs, ...factor }) =>
        removedAtMs === NEVER_MS ? factor : { ...factor, removedAtMs },
      ),
    blockedUntilMs,
    lockedUntilMs,
  };
}
