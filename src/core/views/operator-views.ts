import { unreachable } from '../../domain/assert.ts';
import { ORDER_ID_START } from '../../domain/ids.ts';
import type {
  ActivityView,
  FamilySummary,
  OpenDepositView,
  OpenWithdrawalView,
  OperatorViews,
  RankedPosition,
  RiskView,
  SolvencyView,
  VenueLimitsView,
  WayView,
} from '../../domain/operator-views.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type FamilyIndex,
  type MarketIndex,
  type NetworkIndex,
} from '../../domain/units.ts';
import type { AccountEntry, KeyEntry } from '../../domain/views.ts';
import { indexAt, numberAt, partsAt } from '../memory/columns.ts';
import { feeTierOf } from '../memory/family-columns.ts';
import { availableIn, purseOf } from '../memory/ledger.ts';
import { NO_STANDING } from '../memory/standings.ts';
import { familyWalletOf } from '../memory/wallet.ts';
import { adlRankOf } from '../risk/adl-rank.ts';
import { isTradable } from '../risk/freshness.ts';
import { isUnlevered, marginOf, marginRatioOf } from '../risk/margin.ts';
import { type Account, holderIndex, type State, type VenueHolder } from '../state.ts';
import { accountEntry, familyEntry, keyEntry } from './entries.ts';
import { depositView, openWithdrawal } from './open-records.ts';
import { searchView } from './search.ts';

type Request = {
  [N in keyof OperatorViews]: { readonly name: N; readonly query: OperatorViews[N]['query'] };
}[keyof OperatorViews];

/** Rows that one page examines, whatever it finds. */
const LOOKED_AT_MAX = 20_000;

export function operatorView(
  state: State,
  request: Request,
): OperatorViews[keyof OperatorViews]['result'] {
  switch (request.name) {
    case 'familyPage':
      return familyPage(state, request.query);
    case 'accountPage':
      return accountPage(state, request.query);
    case 'keyPage':
      return keyPage(state, request.query);
    case 'openWithdrawals':
      return openWithdrawals(state, request.query);
    case 'openWithdrawal':
      return openWithdrawal(state, request.query.id);
    case 'openDeposits':
      return openDeposits(state, request.query);
    case 'ways':
      return ways(state);
    case 'venueLimits':
      return venueLimits(state);
    case 'activity':
      return activityOf(state);
    case 'solvency':
      return state.assets.map((_, asset) => solvencyOf(state, asset as AssetIndex));
    case 'riskPage':
      return riskPage(state, request.query);
    case 'search':
      return searchView(state, request.query);
    default:
      return unreachable(request);
  }
}

type PageOf<Name extends keyof OperatorViews> = OperatorViews[Name]['query'];

function familyPage(state: State, { after, limit, name }: PageOf<'familyPage'>): FamilySummary[] {
  if (name !== undefined) {
    const family = state.familyByName.get(name);
    return family === undefined ? [] : [familySummary(state, family as FamilyIndex)];
  }
  return state.families
    .slice(after + 1, after + 1 + limit)
    .map((_, at) => familySummary(state, (after + 1 + at) as FamilyIndex));
}

function familySummary(state: State, family: FamilyIndex): FamilySummary {
  const entry = familyEntry(state, family);
  const wallet = familyWalletOf(state.wallet, family);
  const open = (account: AccountIndex): number =>
    state.wallet.withdrawalsByAccount.get(account)?.length ?? 0;
  return {
    ...entry,
    feeTier: feeTierOf(state.familyColumns, family),
    isWhitelistOn: wallet.isWhitelistOn,
    factors: wallet.factors
      .filter(({ removedAtMs }) => state.timeMs < removedAtMs)
      .map(({ factor }) => factor),
    blockedUntilMs: Math.max(wallet.blockedUntilMs, wallet.lockedUntilMs, wallet.waitUntilMs),
    vanishedDeposits: wallet.vanishedDeposits,
    openWithdrawals: entry.accounts.reduce((sum, account) => sum + open(account), 0),
  };
}

function accountPage(state: State, { after, limit }: PageOf<'accountPage'>): AccountEntry[] {
  const found: AccountEntry[] = [];
  for (let at = after + 1; at < state.accounts.length && found.length < limit; at++) {
    const entry = accountEntry(state, at as AccountIndex);
    if (entry !== undefined) found.push(entry);
  }
  return found;
}

function keyPage(state: State, { after, limit, accounts }: PageOf<'keyPage'>): KeyEntry[] {
  const wanted = accounts === undefined ? undefined : new Set<number>(accounts);
  const found: KeyEntry[] = [];
  for (let at = after + 1; at < state.keys.length && found.length < limit; at++) {
    const account = state.keys[at]?.account;
    if (account === undefined || wanted?.has(account) === false) continue;
    found.push(keyEntry(state, at));
  }
  return found;
}

/** Ids grow in the order of insertion into the map. */
function openWithdrawals(
  state: State,
  { after, limit, isHeld = false }: PageOf<'openWithdrawals'>,
): OpenWithdrawalView[] {
  const found: OpenWithdrawalView[] = [];
  for (const [id, { status }] of state.wallet.withdrawals) {
    if (id <= after || (isHeld && status !== 'ON HOLD')) continue;
    const view = openWithdrawal(state, id);
    if (view !== undefined) found.push(view);
    if (found.length === limit) break;
  }
  return found;
}

function openDeposits(
  state: State,
  { after, limit, isWaiting = false }: PageOf<'openDeposits'>,
): OpenDepositView[] {
  const found: OpenDepositView[] = [];
  for (const [id, key] of state.wallet.depositKeyById) {
    if (id <= after) continue;
    const deposit = state.wallet.deposits.get(key);
    if (deposit === undefined) continue;
    if (isWaiting && deposit.status !== 'ON HOLD' && !deposit.isVanished) continue;
    found.push(depositView(deposit));
    if (found.length === limit) break;
  }
  return found;
}

function ways(state: State): WayView[] {
  return state.wallet.networks.flatMap(({ ways: all, height }, network) =>
    all.map(({ asset, canDeposit, canWithdraw, fee, feeSetAtMs, isFeeFixed }) => ({
      network: network as NetworkIndex,
      asset: asset as AssetIndex,
      canDeposit,
      canWithdraw,
      fee,
      feeSetAtMs,
      isFeeFixed,
      height,
    })),
  );
}

function venueLimits({ orderLimits, wallet, backstops }: State): VenueLimitsView {
  const { daily, automatic } = wallet.limits;
  return {
    ...orderLimits,
    daily,
    automatic,
    backstops: backstops.filter(({ maxLots }) => maxLots > 0).map((one) => ({ ...one })),
  };
}

/**
 * The accounts' total is what is left after all other purses: everything sums to zero, which the audit
 * checks. Only their debts need a step for each account, and only in native.
 */
const activityOf = (state: State): ActivityView => ({
  orders: state.nextOrderId - ORDER_ID_START,
  openOrders: state.orders.openCount,
  liquidating: state.liquidating.length,
  markets: state.markets.map((market) => ({
    marketCode: market.spec.code,
    matches: market.matches,
    isOpen: isTradable(state, market),
    indexAtMs: state.assets[market.baseAsset]?.indexAtMs ?? 0,
  })),
});

function solvencyOf(state: State, asset: AssetIndex): SolvencyView {
  const { ledger } = state;
  const held = (holder: VenueHolder): bigint =>
    availableIn(ledger, purseOf(ledger, holderIndex(holder), asset));
  const clearing = state.markets
    .filter((market) => market.clearing >= 0 && market.settleAsset === asset)
    .reduce(
      (sum, market) =>
        sum + availableIn(ledger, purseOf(ledger, market.clearing as AccountIndex, asset)),
      0n,
    );
  const wallets = -held('outside');
  const own =
    held('fees') +
    held('insurance') +
    held('rounding') +
    held('deficit') +
    held('suspense') +
    held('network-costs');
  const debt = asset === state.native ? debtOf(state) : 0n;
  return {
    asset,
    liabilities: amount(wallets - own - clearing + debt),
    debt: amount(debt),
    wallets: amount(wallets),
    clearing: amount(clearing),
    deficit: amount(held('deficit')),
    fees: amount(held('fees')),
    insurance: amount(held('insurance')),
    rounding: amount(held('rounding')),
    networkCosts: amount(held('network-costs')),
    suspense: amount(held('suspense')),
  };
}

function debtOf({ ledger, accounts, native }: State): bigint {
  const { available, stride } = ledger;
  let debt = 0n;
  for (let at = 0; at < accounts.length; at++) {
    if (accounts[at] === null) continue;
    const has = partsAt(available, at * stride + native);
    if (has < 0n) debt -= has;
  }
  return debt;
}

function riskPage(
  state: State,
  { after, limit }: PageOf<'riskPage'>,
): OperatorViews['riskPage']['result'] {
  const found: RiskView[] = [];
  const end = Math.min(state.accounts.length, after + 1 + LOOKED_AT_MAX);
  let at = after + 1;
  for (; at < end && found.length < limit; at++) {
    const account = state.accounts[at];
    const index = at as AccountIndex;
    if (account === undefined || account === null || isUnlevered(state, index, account)) continue;
    const margin = marginOf(state, index, account);
    found.push({
      account: index,
      marginRatio: marginRatioOf(margin),
      collateral: amount(margin.collateral),
      maintenanceMargin: amount(margin.maintenance),
      notional: amount(margin.notional),
      liquidating: account.liquidating,
      positions: rankedPositions(state, account, margin.collateral),
    });
  }
  return { accounts: found, next: at < state.accounts.length ? at - 1 : undefined };
}

function rankedPositions(state: State, account: Account, collateral: bigint): RankedPosition[] {
  const { standings } = state;
  const found: RankedPosition[] = [];
  let standing = account.firstStanding;
  for (; standing !== NO_STANDING; standing = indexAt(standings.next, standing)) {
    const lots = numberAt(standings.lots, standing);
    if (lots === 0) continue;
    const { top, bottom } = adlRankOf(state, standing, collateral);
    found.push({ market: standings.market[standing] as MarketIndex, lots, top, bottom });
  }
  return found;
}
