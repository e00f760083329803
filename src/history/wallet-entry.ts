import type { WalletType } from '../domain/terms.ts';
import type { Amount, AssetIndex } from '../domain/units.ts';

/** An amount that came into an account or left it; what leaves is negative. */
export type WalletEntryRow = {
  readonly id: bigint;
  readonly asset: AssetIndex;
  readonly type: WalletType;
  readonly amount: Amount;
  readonly timeMs: number;
};
