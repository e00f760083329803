import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type FamilyIndex,
} from '../../domain/units.ts';
import type { FamilyWalletView, UnfinishedView } from '../../domain/views.ts';
import { familyWalletOf, NEVER_MS, type Withdrawal } from '../memory/wallet.ts';
import type { State } from '../state.ts';
import { spentOf } from '../wallet/withdrawals.ts';

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

/** Bounded by what an account may have unfinished. */
export function unfinishedView(state: State, account: AccountIndex): UnfinishedView {
  const { wallet } = state;
  const family = state.accounts[account]?.family ?? 0;
  const withdrawals = (wallet.withdrawalsByAccount.get(account) ?? []).map((id) => {
    const found = wallet.withdrawals.get(id) as Withdrawal;
    const { network, status, holds, holdEndMs, sinceHeight } = found;
    return { id, network, status, holds: [...holds], holdEndMs, sinceHeight };
  });
  const spent = spentOf(familyWalletOf(wallet, family as FamilyIndex), state.timeMs);
  return { withdrawals, daily: wallet.limits.daily, spent: amount(spent) };
}
