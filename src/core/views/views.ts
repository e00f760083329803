import { assert } from '../../domain/assert.ts';
import type { AssetSpec, MarketSpec } from '../../domain/market.ts';
import {
  type AssetIndex,
  type FamilyIndex,
  type MarketIndex,
  type NetworkIndex,
  timeMs,
} from '../../domain/units.ts';
import type { Directory, ViewName, Views } from '../../domain/views.ts';
import { isDemo } from '../memory/wallet.ts';
import type { State } from '../state.ts';
import { estimateCosts } from '../wallet/costs.ts';
import { accountView, balances, positions } from './account-view.ts';
import { chainWork } from './chain-work.ts';
import { accountEntry, accountsFrom, familyEntry, keyEntry } from './entries.ts';
import { operatorView } from './operator-views.ts';
import { depthView, marketView, ordersView } from './order-views.ts';
import { preview } from './preview.ts';
import { familyWalletView, unfinishedView } from './wallet-view.ts';
import { estimate } from './what-if.ts';

/** Reads the current state; changes nothing. */
export function view<Name extends ViewName>(
  state: State,
  name: Name,
  query: Views[Name]['query'],
): Views[Name]['result'] {
  return resultOf(state, { name, query } as AnyRequest) as Views[Name]['result'];
}

type AnyRequest = {
  [N in ViewName]: { readonly name: N; readonly query: Views[N]['query'] };
}[ViewName];

function resultOf(state: State, request: AnyRequest): Views[ViewName]['result'] {
  switch (request.name) {
    case 'accounts':
      return request.query.accounts.map((account) => accountView(state, account));
    case 'balances': {
      const { accounts, asset } = request.query;
      return accounts.map((account) => ({ account, balances: balances(state, account, asset) }));
    }
    case 'positions': {
      const { accounts, market } = request.query;
      return accounts.map((account) => ({ account, positions: positions(state, account, market) }));
    }
    case 'estimate':
      return estimate(state, request.query);
    case 'preview':
      return preview(state, request.query);
    case 'orders':
      return ordersView(state, request.query);
    case 'familyWallet':
      return familyWalletView(state, request.query.family);
    case 'unfinished':
      return unfinishedView(state, request.query.account);
    case 'withdrawalCosts':
      return estimateCosts(state, request.query);
    case 'depth':
      return depthView(state, request.query);
    case 'markets':
      return state.markets.flatMap((market, index) =>
        request.query.market === undefined || request.query.market === index
          ? [marketView(state, market, index as MarketIndex)]
          : [],
      );
    case 'indexPrices':
      return state.assets.map(({ indexPrice: price, isQuoted }, index) => ({
        asset: index as AssetIndex,
        price,
        isQuoted,
      }));
    case 'chainWork':
      return chainWork(state, request.query);
    case 'familyAccess': {
      const access = state.access.families[request.query.family];
      assert(access !== undefined, 'a family index names a family');
      const { sealedPassword, passwordVersion } = access;
      const isSet = sealedPassword.length > 0;
      return { sealedPassword: isSet ? sealedPassword : undefined, passwordVersion };
    }
    case 'demoFamilies':
      return state.wallet.families.flatMap((wallet, family) =>
        isDemo(wallet) ? [family as FamilyIndex] : [],
      );
    case 'invitation': {
      const found = state.access.invitations.get(request.query.tokenHash);
      const isOpen = found !== undefined && found.expiresAtMs >= state.timeMs;
      return isOpen ? { family: found.family } : undefined;
    }
    case 'clock':
      return { timeMs: timeMs(state.timeMs) };
    default:
      return operatorView(state, request);
  }
}

/** Names to indexes and back, read directly from the state. */
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
    key: (index) => (state.keys[index] === undefined ? undefined : keyEntry(state, index)),
    keys: () => state.keys.map((_, index) => keyEntry(state, index)),
    keysOf: (family) =>
      (state.access.families[family]?.keys ?? []).map((index) => keyEntry(state, index)),
    account: (index) => accountEntry(state, index),
    accountsFrom: (first) => accountsFrom(state, first),
    openOrders: (account) => state.accounts[account]?.openOrders ?? 0,
    family: (index) => familyEntry(state, index),
    families: () => state.families.map((_, index) => familyEntry(state, index as FamilyIndex)),
    familyByName: (name) => {
      const index = state.familyByName.get(name) as FamilyIndex | undefined;
      return index === undefined ? undefined : familyEntry(state, index);
    },
    asset: assetAt,
    assetByCode: (code) => state.assetByCode.get(code) as AssetIndex | undefined,
    assets: () => state.assets.map(({ spec }) => spec),
    market: marketAt,
    marketByCode: (code) => state.marketByCode.get(code) as MarketIndex | undefined,
    marketVersion: (index) => state.markets[index]?.version ?? 0,
    markets: () => state.markets.map(({ spec }) => spec),
    networks: () => state.networks,
    networkByName: (name) => {
      const index = state.networks.findIndex((network) => network.name === name);
      return index < 0 ? undefined : (index as NetworkIndex);
    },
    factors: (family) => familyWalletView(state, family).factors,
    way: (network, asset) =>
      state.wallet.networks[network]?.ways.find((one) => one.asset === asset),
  };
}
