import { accountIdText } from '../../domain/ids.ts';
import { quantityText } from '../../domain/market.ts';
import type { AccountIndex, AssetIndex, MarketIndex } from '../../domain/units.ts';
import type { BalanceView, Directory, PositionView } from '../../domain/views.ts';
import { accountShape, balanceShape, positionShape } from '../account/shapes.ts';
import { depositShape } from '../deposits/shapes.ts';
import { withdrawalShape } from '../withdrawals/shapes.ts';
import { type Feed, type FeedParts, Pace } from './feed.ts';
import { whenChanged } from './market-feeds.ts';

/** Private channels about money: balances, positions, margin figures, deposits and withdrawals. */

/** Changes by time and prices are checked this often; the account's own changes at once. */
const SWEEP_MS = 1_000;
const FIGURES_MS = 500;

/** Elements by name; first the whole list, then those that have changed. */
type Listed = {
  /** Name and text of each element, without members that change by themselves. */
  readonly read: () => ReadonlyMap<string, string>;
  /** The element that reports a removed one. */
  readonly gone: (name: string) => string;
  readonly wrap: (elements: readonly string[]) => string;
};

function listFeed({ emit }: FeedParts, { read, gone, wrap }: Listed): Feed {
  let lastSent = read();
  const pace = new Pace(SWEEP_MS);
  const compare = (): void => {
    const now = read();
    const changed: string[] = [];
    for (const [name, text] of now) if (lastSent.get(name) !== text) changed.push(text);
    for (const name of lastSent.keys()) if (!now.has(name)) changed.push(gone(name));
    lastSent = now;
    if (changed.length > 0) emit(wrap(changed), 'delta');
  };
  return {
    // Elements have absolute values: sending one again later does no harm.
    first: () => [wrap([...read().values()])],
    settle: compare,
    beat: (nowMs) => {
      if (pace.isDue(nowMs)) compare();
    },
  };
}

/** The envelope has exactly these members: an existing client accepts no others. */
export function balanceFeed(parts: FeedParts, account: AccountIndex, asset?: AssetIndex): Feed {
  const { source } = parts;
  const { directory } = source;
  const element = (view: BalanceView): string => {
    const shape = balanceShape(directory, view);
    return JSON.stringify({
      instrumentId: shape.asset,
      total: shape.total,
      available: shape.available,
      reserved: shape.reserved,
      quantityLastUpdated: shape.lastUpdatedAt,
      locked: '0',
    });
  };
  const read = (): Map<string, string> => {
    const ask = { accounts: [account], ...(asset === undefined ? {} : { asset }) };
    const [found] = source.view('balances', ask);
    const views = found?.balances ?? [];
    const texts = new Map(views.map((view) => [String(view.asset), element(view)]));
    // A subscription to one asset shows its balance even when the account has held none of it.
    if (asset !== undefined && texts.size === 0) {
      const none = { asset, available: 0n, reserved: 0n, lastUpdatedAtMs: 0 } as BalanceView;
      texts.set(String(asset), element(none));
    }
    return texts;
  };
  const tradeType = directory.account(account)?.accountType ?? '';
  return listFeed(parts, {
    read,
    gone: () => '{}',
    wrap: (elements) =>
      `{"table":"balance","accountId":"${accountIdText(account)}",` +
      `"timestamp":"${source.timeMs}","tradeType":"${tradeType}","data":[${elements.join(',')}]}`,
  });
}

/** A closed position is published once more, with quantity 0 and when it was closed: it is no older news. */
export function positionFeed(parts: FeedParts, account: AccountIndex, market?: MarketIndex): Feed {
  const { source } = parts;
  const { directory } = source;
  let isHeld = false;
  let closedAtMs = 0;
  const read = (): Map<string, string> => {
    const ask = { accounts: [account], ...(market === undefined ? {} : { market }) };
    const [found] = source.view('positions', ask);
    const views = found?.positions ?? [];
    const texts = new Map(
      views.map((view) => [String(view.market), positionText(directory, view)]),
    );
    if (market !== undefined && texts.size === 0) {
      if (isHeld) closedAtMs = source.timeMs;
      texts.set(String(market), noPositionText(directory, market, closedAtMs));
    }
    isHeld = views.length > 0;
    return texts;
  };
  return listFeed(parts, {
    read,
    gone: (name) => noPositionText(directory, Number(name) as MarketIndex, source.timeMs),
    wrap: (elements) =>
      `{"table":"position","accountId":"${accountIdText(account)}",` +
      `"timestamp":"${source.timeMs}","data":[${elements.join(',')}]}`,
  });
}

function positionText(directory: Directory, view: PositionView): string {
  const shape = positionShape(directory, view);
  return JSON.stringify({
    instrumentId: shape.marketCode,
    quantity: shape.position,
    lastUpdated: shape.lastUpdated,
    contractValCurrency: shape.baseAsset,
    entryPrice: shape.entryPrice,
    positionPnl: shape.positionPnl,
    estLiquidationPrice: shape.estLiquidationPrice,
    margin: '0',
    leverage: '0',
  });
}

function noPositionText(directory: Directory, market: MarketIndex, closedAtMs: number): string {
  const spec = directory.market(market);
  return JSON.stringify({
    instrumentId: spec.code,
    quantity: quantityText(spec, 0),
    lastUpdated: String(closedAtMs),
    contractValCurrency: spec.base,
    entryPrice: '0',
    positionPnl: '0',
    estLiquidationPrice: '0',
    margin: '0',
    leverage: '0',
  });
}

/** Extension: collateral, margins, ratio, liquidation prices and values of assets, at most twice a second. */
export function accountFeed({ source, emit }: FeedParts, account: AccountIndex): Feed {
  const { directory } = source;
  const read = (): object => {
    const [view] = source.view('accounts', { accounts: [account] });
    if (view === undefined) return {};
    const { balances, createdAt: _, ...shape } = accountShape(directory, view);
    // The balances channel publishes the quantities.
    const valued = balances.map(({ asset, value, collateralValue }) => ({
      ...{ asset, value, collateralValue },
    }));
    return { ...shape, initialMargin: shape.portfolioVarMargin, balances: valued };
  };
  const wrap = (shape: object): string =>
    JSON.stringify({
      table: 'account',
      accountId: accountIdText(account),
      timestamp: String(source.timeMs),
      data: [shape],
    });
  return whenChanged({ periodMs: FIGURES_MS, read, wrap, emit, source });
}

/** Extension: each change of a deposit or withdrawal, as a complete record. */
export function walletFeed({ source, emit }: FeedParts, account: AccountIndex): Feed {
  const { directory } = source;
  const wrap = (timeMs: number, shape: object): string =>
    JSON.stringify({
      table: 'wallet',
      accountId: accountIdText(account),
      timestamp: String(timeMs),
      data: [shape],
    });
  return {
    first: () => [],
    onEvents: ({ events, timeMs }) => {
      for (const event of events) {
        if (event.kind === 'withdrawal-changed') {
          const shape = withdrawalShape(directory, event.withdrawal);
          emit(wrap(timeMs, { type: 'WITHDRAWAL', ...shape }), 'event');
        } else if (event.kind === 'deposit-changed') {
          const shape = depositShape(directory, event.deposit);
          emit(wrap(timeMs, { type: 'DEPOSIT', ...shape }), 'event');
        }
      }
    },
  };
}
