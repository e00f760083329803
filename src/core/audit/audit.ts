import { textFromParts } from '../../domain/decimal.ts';
import type { AccountIndex, AssetIndex } from '../../domain/units.ts';
import { purseOf } from '../memory/ledger.ts';
import { holderIndex, type State } from '../state.ts';
import { auditTrading } from './audit-trading.ts';

/** The books of one asset: inside = genesis + deposits - withdrawals - gas. */
export type AssetAudit = {
  readonly asset: string;
  readonly inside: string;
  readonly genesis: string;
  readonly deposits: string;
  readonly withdrawals: string;
  readonly gas: string;
};
export type Audit = { readonly assets: readonly AssetAudit[]; readonly faults: readonly string[] };

/**
 * Adds everything up from scratch and trusts no running total. It reads every purse and every order, so
 * the follower and `verify` run it, not the writer.
 */
export function audit(state: State): Audit {
  const faults: string[] = [];
  const assets = state.assets.map((_, index) => auditAsset(state, index as AssetIndex, faults));
  const keptRequests = [...state.requests.bySecond.values()].reduce(
    (sum, bucket) => sum + bucket.table.count,
    0,
  );
  if (keptRequests !== state.requests.count) faults.push('remembered requests are counted wrong');
  faults.push(...auditTrading(state));
  return { assets, faults };
}

function auditAsset(state: State, index: AssetIndex, faults: string[]): AssetAudit {
  const { ledger } = state;
  const asset = state.assets[index];
  if (asset === undefined) throw new Error('an asset index names an asset');
  const { code, scale } = asset.spec;
  let inside = 0n;
  for (let holder = 0; holder < ledger.rows; holder++) {
    const purse = purseOf(ledger, holder as AccountIndex, index);
    const available = ledger.available[purse] ?? 0n;
    const reserved = ledger.reserved[purse] ?? 0n;
    if (reserved < 0n) faults.push(`holder ${holder} reserves less than nothing of ${code}`);
    if (available < 0n && ledger.mayOwe[purse] !== 1) faults.push(`holder ${holder} owes ${code}`);
    if (holder !== holderIndex('outside')) inside += available + reserved;
  }
  const { genesis, deposits, withdrawals, gas } = asset.crossed;
  const outside = ledger.available[purseOf(ledger, holderIndex('outside'), index)] ?? 0n;
  if (inside + outside !== 0n) faults.push(`${code}: inside and outside do not sum to zero`);
  if (inside !== genesis + deposits - withdrawals - gas) {
    faults.push(`${code}: inside is not genesis + deposits - withdrawals - gas`);
  }
  const text = (parts: bigint): string => textFromParts(parts, scale);
  return {
    asset: code,
    inside: text(inside),
    genesis: text(genesis),
    deposits: text(deposits),
    withdrawals: text(withdrawals),
    gas: text(gas),
  };
}
