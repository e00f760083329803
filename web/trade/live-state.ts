import type { StreamMessage } from '../../src/client/index.ts';
import { applyOrders, type LiveOrders, NO_ORDERS, type Row } from './live-orders.ts';

/** What the page knows of the venue now, and how each message of the stream changes it. Pure. */

export type Ticker = {
  readonly marketCode: string;
  readonly last: string;
  readonly open24h: string;
  readonly high24h: string;
  readonly low24h: string;
  readonly volume24h: string;
  readonly currencyVolume24h: string;
  readonly openInterest: string;
  readonly markPrice: string;
  readonly indexPrice: string;
};

export type TapeTrade = {
  readonly id: string;
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly quantity: string;
  readonly atMs: number;
  /** The first trade after a liquidation was announced in this market. */
  readonly isAfterLiquidation?: boolean;
};

export type LiveCandle = {
  readonly openedAtMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
};

export type Position = {
  readonly marketCode: string;
  readonly quantity: string;
  readonly entryPrice: string;
  readonly positionPnl: string;
  readonly estLiquidationPrice: string;
};

export type Balance = {
  readonly asset: string;
  readonly total: string;
  readonly available: string;
  readonly reserved: string;
};

export type AccountFigures = {
  readonly accountId: string;
  readonly name: string;
  readonly collateral: string;
  readonly notionalPositionSize: string;
  readonly portfolioVarMargin: string;
  readonly maintenanceMargin: string;
  readonly marginRatio: string;
  readonly liquidating: boolean;
  readonly feeTier: string;
  readonly balances: readonly AssetWorth[];
};

/** In OX, from the venue's own margin: an asset's value, and what it adds to the collateral. */
type AssetWorth = {
  readonly asset: string;
  readonly value: string;
  readonly collateralValue: string;
};

export type ValuedBalance = Balance & Partial<AssetWorth>;

export type MarketStatus = {
  readonly state: string;
  readonly stateReason: string | undefined;
  readonly upperPriceBound: string;
  readonly lowerPriceBound: string;
};

/** The account was taken over by the venue, or given back. Each is one object, so that it is announced once. */
export type LiquidationNote = { readonly hasBegun: boolean; readonly name: string };

export type LiveState = LiveOrders & {
  readonly tickers: Readonly<Record<string, Ticker>>;
  readonly statuses: Readonly<Record<string, MarketStatus>>;
  readonly tape: readonly TapeTrade[];
  /** Markets with an announced liquidation whose next trade is still to come. */
  readonly liquidating: readonly string[];
  readonly candle: LiveCandle | undefined;
  readonly positions: Readonly<Record<string, Position>>;
  readonly balances: Readonly<Record<string, Balance>>;
  readonly account: AccountFigures | undefined;
  /** The newest first: one that begins and ends while nothing is drawn is not lost. */
  readonly liquidations: readonly LiquidationNote[];
  /** Counts messages about deposits and withdrawals: views of them read again. */
  readonly walletChanges: number;
};

export const EMPTY_STATE: LiveState = {
  tickers: {},
  statuses: {},
  tape: [],
  liquidating: [],
  candle: undefined,
  ...NO_ORDERS,
  positions: {},
  balances: {},
  account: undefined,
  liquidations: [],
  walletChanges: 0,
};

export const TAPE_MAX = 500;
const LIQUIDATIONS_MAX = 20;

/** The state after some messages; the same object if nothing has changed. */
export function applyAll(state: LiveState, messages: readonly StreamMessage[]): LiveState {
  const ofOrders = messages.filter(({ table }) => table === 'order');
  const others = messages.filter(({ table }) => table !== 'order').reduce(applyOne, state);
  if (ofOrders.length === 0) return others;
  const rowsOfEach = ofOrders.map((one) => ({
    isSnapshot: one.snapshot === true,
    rows: rowsOf(one),
  }));
  return { ...others, ...applyOrders(others, rowsOfEach) };
}

const rowsOf = ({ data }: StreamMessage): readonly Row[] =>
  Array.isArray(data) ? (data as readonly Row[]) : [];

function applyOne(state: LiveState, message: StreamMessage): LiveState {
  const { table } = message;
  const rows = rowsOf(message);
  switch (table) {
    case 'ticker':
      return { ...state, tickers: { ...state.tickers, ...byCode<Ticker>(rows) } };
    case 'market':
      return { ...state, statuses: { ...state.statuses, ...byCode<MarketStatus>(rows) } };
    case 'trade':
      return applyTrades(state, rows);
    case 'liquidationRFQ':
      return { ...state, liquidating: rows.map((row) => String(row['marketCode'])) };
    case 'position':
      return { ...state, positions: applyPositions(state, rows, message.snapshot === true) };
    case 'balance':
      return { ...state, balances: applyBalances(state, rows, message.snapshot === true) };
    case 'account':
      return applyAccount(state, rows[0] as AccountFigures | undefined);
    case 'wallet':
      return { ...state, walletChanges: state.walletChanges + 1 };
    default:
      if (table?.startsWith('candles') === true) return { ...state, candle: candleOf(rows) };
      return state;
  }
}

const byCode = <Value>(rows: readonly Row[]): Record<string, Value> =>
  Object.fromEntries(rows.map((row) => [String(row['marketCode']), row as unknown as Value]));

/** The venue does not say whose trade one is: the trade right after the announcement is marked. */
function applyTrades(state: LiveState, rows: readonly Row[]): LiveState {
  const marketCode = String(rows[0]?.['marketCode']);
  const isMarked = state.liquidating.includes(marketCode);
  const trades = rows.map((row, at) =>
    isMarked && at === rows.length - 1
      ? { ...tapeTrade(row), isAfterLiquidation: true }
      : tapeTrade(row),
  );
  return {
    ...state,
    tape: onTop(trades, state.tape),
    liquidating: isMarked
      ? state.liquidating.filter((code) => code !== marketCode)
      : state.liquidating,
  };
}

/** The trades that were read, newest first, below those that the stream has brought since. */
export const withRead = (tape: readonly TapeTrade[], read: readonly TapeTrade[]): TapeTrade[] =>
  onTop(tape, read);

/** The upper ones that are newer than all of the lower: what both have is listed once. */
function onTop(upper: readonly TapeTrade[], lower: readonly TapeTrade[]): TapeTrade[] {
  const [newest] = lower;
  const newer = newest === undefined ? upper : upper.filter((one) => isNewer(one, newest));
  return [...newer, ...lower].slice(0, TAPE_MAX);
}

/** One command may match often, all at one time; ids of the matches of a market rise. */
function isNewer(one: TapeTrade, other: TapeTrade): boolean {
  if (one.atMs !== other.atMs) return one.atMs > other.atMs;
  return one.id.length === other.id.length ? one.id > other.id : one.id.length > other.id.length;
}

const tapeTrade = (row: Row): TapeTrade => ({
  id: String(row['tradeId']),
  side: row['side'] === 'SELL' ? 'SELL' : 'BUY',
  price: String(row['price']),
  quantity: String(row['quantity']),
  atMs: Number(row['timestamp']),
});

function candleOf(rows: readonly Row[]): LiveCandle | undefined {
  const values = rows[0]?.['candle'] as readonly string[] | undefined;
  if (values === undefined || values.length < 7) return undefined;
  const [openedAtMs, open, high, low, close, , volume] = values.map(Number);
  return { openedAtMs, open, high, low, close, volume } as LiveCandle;
}

function applyAccount(state: LiveState, account: AccountFigures | undefined): LiveState {
  if (account === undefined) return state;
  const { accountId, name, liquidating } = account;
  const isSame = state.account?.accountId === accountId;
  const wasLiquidating = isSame && state.account?.liquidating === true;
  if (liquidating === wasLiquidating) return { ...state, account };
  const note = { hasBegun: liquidating, name };
  const liquidations = [note, ...state.liquidations].slice(0, LIQUIDATIONS_MAX);
  return { ...state, account, liquidations };
}

function applyPositions(
  state: LiveState,
  rows: readonly Row[],
  isWhole: boolean,
): LiveState['positions'] {
  const positions: Record<string, Position> = isWhole ? {} : { ...state.positions };
  for (const row of rows) {
    const marketCode = String(row['instrumentId']);
    const quantity = String(row['quantity']);
    if (/^-?0*\.?0*$/.test(quantity)) delete positions[marketCode];
    else {
      positions[marketCode] = {
        marketCode,
        quantity,
        entryPrice: String(row['entryPrice']),
        positionPnl: String(row['positionPnl']),
        estLiquidationPrice: String(row['estLiquidationPrice']),
      };
    }
  }
  return positions;
}

function applyBalances(
  state: LiveState,
  rows: readonly Row[],
  isWhole: boolean,
): LiveState['balances'] {
  const balances: Record<string, Balance> = isWhole ? {} : { ...state.balances };
  for (const row of rows) {
    const asset = row['instrumentId'];
    if (asset === undefined) continue;
    balances[String(asset)] = {
      asset: String(asset),
      total: String(row['total']),
      available: String(row['available']),
      reserved: String(row['reserved']),
    };
  }
  return balances;
}

/** Quantity and value come from two channels: the second may be a moment behind. */
export function valuedBalances({
  balances,
  account,
}: Pick<LiveState, 'balances' | 'account'>): readonly ValuedBalance[] {
  const worth = new Map(account?.balances.map((one) => [one.asset, one]));
  return Object.values(balances).map((one) => ({ ...one, ...worth.get(one.asset) }));
}
