import { assert, unreachable } from '../domain/assert.ts';
import { floorDiv } from '../domain/decimal.ts';
import type { AssetSpec, MarketSpec } from '../domain/market.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type FamilyIndex,
  type KeyIndex,
  type MarketIndex,
  timeMs,
  usdPrice,
} from '../domain/units.ts';
import type {
  AccountEntry,
  AccountView,
  BalanceView,
  Directory,
  FamilyEntry,
  KeyEntry,
  PositionView,
  ViewName,
  Views,
} from '../domain/views.ts';
import { availableIn, purseOf, reservedIn } from './ledger/ledger.ts';
import { depthView, marketView, ordersView } from './order-views.ts';
import { liquidationPriceOf } from './risk/liquidation-price.ts';
import { marginOf, marginRatioOf, RATIO_ONE, valueDown } from './risk/margin.ts';
import { NO_STANDING, standingOf } from './risk/standings.ts';
import type { Account, State } from './state.ts';

/** Answers about now, from state; changes nothing. */
export function view<Name extends ViewName>(
  state: State,
  name: Name,
  ask: Views[Name]['ask'],
): Views[Name]['answer'] {
  return answer(state, { name, ask } as AnyQuestion) as Views[Name]['answer'];
}

type AnyQuestion = {
  [N in ViewName]: { readonly name: N; readonly ask: Views[N]['ask'] };
}[ViewName];

function answer(state: State, question: AnyQuestion): Views[ViewName]['answer'] {
  switch (question.name) {
    case 'accounts':
      return question.ask.accounts.map((account) => accountView(state, account));
    case 'balances': {
      const { accounts, asset } = question.ask;
      return accounts.map((account) => ({ account, balances: balances(state, account, asset) }));
    }
    case 'positions': {
      const { accounts, market } = question.ask;
      return accounts.map((account) => ({ account, positions: positions(state, account, market) }));
    }
    case 'orders':
      return ordersView(state, question.ask);
    case 'depth':
      return depthView(state, question.ask);
    case 'markets':
      return state.markets.flatMap((market, index) =>
        question.ask.market === undefined || question.ask.market === index
          ? [marketView(market, index as MarketIndex)]
          : [],
      );
    case 'clock':
      return { timeMs: timeMs(state.timeMs) };
    default:
      return unreachable(question);
  }
}

/** Only assets the account ever touched, in the order of the catalogue. */
function balances(state: State, account: AccountIndex, only?: AssetIndex): BalanceView[] {
  const { ledger } = state;
  return state.assets.flatMap((_, index) => {
    const asset = index as AssetIndex;
    const purse = purseOf(ledger, account, asset);
    const lastUpdatedAtMs = ledger.touchedAtMs[purse] ?? 0;
    if (lastUpdatedAtMs === 0 || (only !== undefined && only !== asset)) return [];
    return {
      asset,
      available: availableIn(ledger, purse),
      reserved: reservedIn(ledger, purse),
      lastUpdatedAtMs,
    };
  });
}

function accountView(state: State, account: AccountIndex): AccountView {
  const found = existing(state, account);
  const margin = { ...marginOf(state, account, found) };
  return {
    account,
    accountType: found.accountType,
    balances: balances(state, account),
    positions: positions(state, account),
    collateral: amount(margin.collateral),
    notional: amount(margin.notional),
    initialMargin: amount(margin.initial),
    maintenanceMargin: amount(margin.maintenance),
    marginRatio: marginRatioOf(margin),
    riskRatio: margin.initial === 0n ? 0n : floorDiv(margin.collateral * RATIO_ONE, margin.initial),
    liquidating: found.liquidating,
    feeTier: state.families[found.family]?.feeTier ?? 1,
    createdAtMs: found.createdAtMs,
  };
}

/** Open positions, in the order of the catalogue. */
function positions(state: State, account: AccountIndex, only?: MarketIndex): PositionView[] {
  const found = existing(state, account);
  const { standings } = state;
  return state.markets.flatMap((market, index) => {
    const at = standingOf(standings, account, index);
    if (at === NO_STANDING || standings.lots[at] === 0) return [];
    if (only !== undefined && only !== index) return [];
    const lots = standings.lots[at] as number;
    const cost = standings.cost[at] as bigint;
    return {
      market: index as MarketIndex,
      lots,
      cost: amount(cost),
      mark: usdPrice(market.price.mark),
      unrealised: amount(valueDown(market, lots, market.price.mark) - cost),
      liquidationPrice: liquidationPriceOf(state, account, found, at),
      lastUpdatedAtMs: standings.updatedAtMs[at] as number,
    };
  });
}

function existing(state: State, account: AccountIndex): Account {
  const found = state.accounts[account];
  assert(found !== undefined && found !== null, 'an account index names an account');
  return found;
}

/** Names to indexes and back, read straight from the state. */
export function directoryOf(state: State): Directory {
  const assetAt = (index: AssetIndex): AssetSpec => {
    const asset = state.assets[index];
    assert(asset !== undefined, 'an asset index names an asset');
    return asset.spec;
  };
  const marketAt = (index: MarketIndex): MarketSpec => {
    const market = state.markets[index];
    assert(market !== undefined, 'a market index names a market');
    return market.spec;
  };
  return {
    keyByAccess: (accessKey) => {
      const index = state.keyByAccess.get(accessKey);
      return index === undefined ? undefined : keyEntry(state, index);
    },
    keys: () => state.keys.map((_, index) => keyEntry(state, index)),
    account: (index) => accountEntry(state, index),
    family: (index) => familyEntry(state, index),
    families: () => state.families.map((_, index) => familyEntry(state, index as FamilyIndex)),
    asset: assetAt,
    assetByCode: (code) => state.assetByCode.get(code) as AssetIndex | undefined,
    assets: () => state.assets.map(({ spec }) => spec),
    market: marketAt,
    marketByCode: (code) => state.marketByCode.get(code) as MarketIndex | undefined,
    marketVersion: (index) => state.markets[index]?.version ?? 0,
    markets: () => state.markets.map(({ spec }) => spec),
    networks: () => state.networks,
  };
}

function keyEntry(state: State, index: number): KeyEntry {
  const key = state.keys[index];
  assert(key !== undefined, 'a key index names a key');
  return { key: index as KeyIndex, ...key };
}

function accountEntry(state: State, account: AccountIndex): AccountEntry | undefined {
  const found = state.accounts[account];
  if (found === undefined || found === null) return undefined;
  const { family, name, isActive } = found;
  return {
    account,
    family,
    name,
    isActive,
    isMain: state.families[family]?.accounts[0] === account,
  };
}

function familyEntry(state: State, index: FamilyIndex): FamilyEntry {
  const family = state.families[index];
  assert(family !== undefined, 'a family index names a family');
  const { name, restrictions, accounts } = family;
  return { family: index, name, restrictions, accounts };
}
