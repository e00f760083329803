import { audit } from '../../src/core/audit/audit.ts';
import { holderIndex, type State } from '../../src/core/state.ts';
import { view } from '../../src/core/views/views.ts';
import type { AccountIndex, MarketIndex } from '../../src/domain/units.ts';
import { overlookedAccounts } from '../support/plain-margin.ts';

/** What must always hold, checked on the venue's own state; returns violations as sentences. */
export function brokenInvariants(state: State): string[] {
  const accountIndexes = state.accounts.flatMap((account, accountIndex) =>
    account === null ? [] : [accountIndex],
  );
  return [
    ...audit(state).faults,
    ...holdFaults(state, accountIndexes),
    ...debtFaults(state, accountIndexes),
    ...overlookedAccounts(state),
    ...state.markets.flatMap((_, market) => marketFaults(state, accountIndexes, market)),
  ];
}

/** What an account's purses reserve must be what its open orders need, exactly. */
function holdFaults(state: State, accountIndexes: readonly number[]): string[] {
  return accountIndexes.flatMap((accountIndex) => {
    const needed = new Map<number, bigint>();
    for (const order of view(state, 'orders', { account: accountIndex as AccountIndex })) {
      const market = state.markets[order.market];
      if (market === undefined || market.spec.type === 'FUTURE') continue;
      const isBuy = order.side === 'BUY';
      const asset = isBuy ? market.settleAsset : market.baseAsset;
      const parts =
        BigInt(order.openLots) *
        (isBuy ? BigInt(order.priceTicks) * market.perTickLot : market.perLot);
      needed.set(asset, (needed.get(asset) ?? 0n) + parts);
    }
    for (const { account, asset, debited } of state.wallet.withdrawals.values()) {
      if (account === accountIndex) needed.set(asset, (needed.get(asset) ?? 0n) + debited);
    }
    const [seen] = view(state, 'balances', { accounts: [accountIndex as AccountIndex] });
    return (seen?.balances ?? []).flatMap(({ asset, reserved }) =>
      reserved === (needed.get(asset) ?? 0n)
        ? []
        : [
            `account ${accountIndex} reserves ${reserved} of asset ${asset}, needs ${needed.get(asset)}`,
          ],
    );
  });
}

/** Only these may be negative: outside, clearing, deficit, and an account's native. */
function debtFaults(state: State, accountIndexes: readonly number[]): string[] {
  const { ledger, native } = state;
  const mayOwe = new Set<number>([holderIndex('outside'), holderIndex('deficit')]);
  for (const { clearing } of state.markets) mayOwe.add(clearing);
  const holders = Array.from({ length: ledger.rows }, (_, holder) => holder);
  return holders.flatMap((holder) =>
    state.assets.flatMap((_, asset) => {
      const parts = ledger.available[holder * ledger.stride + asset] ?? 0n;
      const isAllowed = mayOwe.has(holder) || (accountIndexes.includes(holder) && asset === native);
      return parts >= 0n || isAllowed ? [] : [`holder ${holder} owes ${-parts} of asset ${asset}`];
    }),
  );
}

function marketFaults(state: State, accountIndexes: readonly number[], index: number): string[] {
  const market = state.markets[index];
  if (market === undefined) return [];
  const { code } = market.spec;
  const faults: string[] = [];
  const { bids, asks } = view(state, 'depth', { market: index as MarketIndex, levels: 1 });
  const [bid, ask] = [bids[0]?.priceTicks, asks[0]?.priceTicks];
  if (bid !== undefined && ask !== undefined && bid >= ask) {
    faults.push(`${code}: the book is crossed, bid ${bid}, ask ${ask}`);
  }
  if (market.spec.type !== 'FUTURE') return faults;
  let lots = 0;
  let cost = 0n;
  for (const accountIndex of accountIndexes) {
    const at = state.standings.table[accountIndex * state.standings.marketStride + index];
    if (at === undefined || at === 0) continue;
    lots += state.standings.lots[at - 1] as number;
    cost += state.standings.cost[at - 1] as bigint;
  }
  if (lots !== 0) faults.push(`${code}: lots sum to ${lots}`);
  const purse = market.clearing * state.ledger.stride + market.settleAsset;
  const clearing = state.ledger.available[purse] ?? 0n;
  if (clearing !== -cost) faults.push(`${code}: clearing ${clearing}, sum of costs ${cost}`);
  return faults;
}
