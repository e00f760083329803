import type { StreamMessage } from '../../src/client/index.ts';
import { endedWords } from '../shared/ended-words.ts';
import { compare } from '../shared/number-text.ts';

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

export type OpenOrder = {
  readonly orderId: string;
  readonly marketCode: string;
  readonly side: 'BUY' | 'SELL';
  readonly orderType: string;
  readonly price: string;
  readonly stopPrice?: string;
  readonly triggerType?: string;
  readonly quantity: string;
  readonly remainQuantity: string;
  readonly timeInForce: string;
  readonly createdAt: string;
  readonly isTriggered: boolean;
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

/** A fill of one of the account's own orders, to be announced to its owner. */
export type OwnFill = {
  readonly matchId: string;
  readonly marketCode: string;
  readonly side: 'BUY' | 'SELL';
  readonly price: string;
  readonly quantity: string;
  readonly atMs: number;
};

/** An open order that the venue has ended, and by which rule or in which state. Announced once, as above. */
export type EndedOrder = { readonly order: OpenOrder; readonly why: string };

/** The account was taken over by the venue, or given back. Each is one object, so that it is announced once. */
export type LiquidationNote = { readonly hasBegun: boolean; readonly name: string };

export type LiveState = {
  readonly tickers: Readonly<Record<string, Ticker>>;
  readonly statuses: Readonly<Record<string, MarketStatus>>;
  readonly tape: readonly TapeTrade[];
  /** Markets with an announced liquidation whose next trade is still to come. */
  readonly liquidating: readonly string[];
  readonly candle: LiveCandle | undefined;
  readonly orders: Readonly<Record<string, OpenOrder>>;
  readonly positions: Readonly<Record<string, Position>>;
  readonly balances: Readonly<Record<string, Balance>>;
  readonly account: AccountFigures | undefined;
  readonly fills: readonly OwnFill[];
  /** The newest first, as with fills. */
  readonly ended: readonly EndedOrder[];
  /** Counts orders that have ended, also those that were never seen open: views of them read again. */
  readonly endings: number;
  /** The newest first, as with fills: one that begins and ends while nothing is drawn is not lost. */
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
  orders: {},
  positions: {},
  balances: {},
  account: undefined,
  fills: [],
  ended: [],
  endings: 0,
  liquidations: [],
  walletChanges: 0,
};

export const TAPE_MAX = 500;
const FILLS_MAX = 200;
const ENDED_MAX = 200;
const LIQUIDATIONS_MAX = 20;

/** The state after a message; the same object if nothing has changed. */
export function apply(state: LiveState, message: StreamMessage): LiveState {
  const { table } = message;
  const rows = Array.isArray(message.data) ? (message.data as readonly Row[]) : [];
  switch (table) {
    case 'ticker':
      return { ...state, tickers: { ...state.tickers, ...byCode<Ticker>(rows) } };
    case 'market':
      return { ...state, statuses: { ...state.statuses, ...byCode<MarketStatus>(rows) } };
    case 'trade':
      return applyTrades(state, rows);
    case 'liquidationRFQ':
      return { ...state, liquidating: rows.map((row) => String(row['marketCode'])) };
    case 'order':
      return applyOrders(message.snapshot === true ? { ...state, orders: {} } : state, rows);
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

type Row = Readonly<Record<string, never>> & {
  readonly [name: string]: string | boolean | undefined | readonly string[];
};

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

const ENDED = new Set(['FILLED', 'CANCELED', 'CANCELLED', 'EXPIRED', 'REJECTED']);
/** A stop is OPEN too; a closed order says so in its notice, or is FILLED. */
const isOpen = (row: Row): boolean =>
  row['notice'] !== 'OrderClosed' && !ENDED.has(String(row['status']).split('_')[0] ?? '');

function applyOrders(state: LiveState, rows: readonly Row[]): LiveState {
  const orders = { ...state.orders };
  const fills: OwnFill[] = [];
  const ended: EndedOrder[] = [];
  let { endings } = state;
  for (const row of rows) {
    const orderId = String(row['orderId']);
    if (row['notice'] === 'OrderMatched') fills.push(ownFill(row));
    if (isOpen(row)) {
      orders[orderId] = openOrder(row);
      continue;
    }
    const order = orders[orderId];
    const why = whyEnded(row);
    // What ends in the command that has placed it is said by the answer to that.
    const hasStood = row['timestamp'] !== row['createdAt'];
    if (order !== undefined && why !== undefined && hasStood) ended.push({ order, why });
    delete orders[orderId];
    endings++;
  }
  return {
    ...state,
    ...{ orders, endings },
    fills: newestFirst(fills, state.fills, FILLS_MAX),
    ended: newestFirst(ended, state.ended, ENDED_MAX),
  };
}

const newestFirst = <Item>(
  added: readonly Item[],
  before: readonly Item[],
  max: number,
): readonly Item[] =>
  added.length === 0 ? before : [...added.toReversed(), ...before].slice(0, max);

/** Ends that the owner has asked for, or that its fills tell. */
const EXPECTED = new Set(['FILLED', 'CANCELED_BY_USER', 'CANCELED_BY_AMEND']);

/** A rule of the venue in its own words, else the state that says which one it was. */
function whyEnded(row: Row): string | undefined {
  const { code, message, status } = row as Readonly<Record<string, string | undefined>>;
  if (message !== undefined) return `${code}: ${message}`;
  return status === undefined || EXPECTED.has(status) ? undefined : endedWords(status);
}

function openOrder(row: Row): OpenOrder {
  const { stopPrice, triggerType } = row as Readonly<Record<string, string | undefined>>;
  return {
    orderId: String(row['orderId']),
    marketCode: String(row['marketCode']),
    side: row['side'] === 'SELL' ? 'SELL' : 'BUY',
    orderType: String(row['orderType']),
    price: String(row['price']),
    ...(stopPrice === undefined ? {} : { stopPrice }),
    ...(triggerType === undefined ? {} : { triggerType }),
    quantity: String(row['quantity']),
    remainQuantity: String(row['remainQuantity']),
    timeInForce: String(row['timeInForce']),
    createdAt: String(row['createdAt']),
    isTriggered: row['isTriggered'] === 'true' || row['isTriggered'] === true,
  };
}

const ownFill = (row: Row): OwnFill => ({
  matchId: String(row['matchId']),
  marketCode: String(row['marketCode']),
  side: row['side'] === 'SELL' ? 'SELL' : 'BUY',
  price: String(row['matchPrice']),
  quantity: String(row['matchQuantity']),
  atMs: Number(row['timestamp']),
});

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

/** A stop that has not triggered waits; everything else is in the book. */
export const isWaitingStop = ({ orderType, isTriggered }: OpenOrder): boolean =>
  orderType.startsWith('STOP') && !isTriggered;

export type Changed = {
  readonly price?: string | undefined;
  readonly stopPrice?: string | undefined;
  readonly quantity?: string | undefined;
};

/** The same or a smaller size at the same price keeps its priority; everything else goes to the back. */
export const keepsPlace = (order: OpenOrder, { price, stopPrice, quantity }: Changed): boolean =>
  stopPrice === undefined &&
  (price === undefined || compare(price, order.price) === 0) &&
  (quantity === undefined || compare(quantity, order.quantity) <= 0);
