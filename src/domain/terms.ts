/** The enumerations of the interface. A value that is not here does not exist. */

export const SIDES = ['BUY', 'SELL'] as const;
export type Side = (typeof SIDES)[number];

export const ORDER_TYPES = ['LIMIT', 'MARKET', 'STOP_LIMIT', 'STOP_MARKET'] as const;
export type OrderType = (typeof ORDER_TYPES)[number];

export const TIMES_IN_FORCE = ['GTC', 'IOC', 'FOK', 'MAKER_ONLY', 'MAKER_ONLY_REPRICE'] as const;
export type TimeInForce = (typeof TIMES_IN_FORCE)[number];

export const STP_MODES = ['NONE', 'EXPIRE_MAKER', 'EXPIRE_TAKER', 'EXPIRE_BOTH'] as const;
export type StpMode = (typeof STP_MODES)[number];

export const TRIGGER_TYPES = ['MARK_PRICE', 'LAST_PRICE'] as const;
export type TriggerType = (typeof TRIGGER_TYPES)[number];

export const RESPONSE_TYPES = ['FULL', 'ACK'] as const;

/** The state of an order, in place and cancel results and on the stream. */
export const ORDER_STATES = [
  'OPEN',
  'PARTIAL_FILL',
  'FILLED',
  'CANCELED_BY_USER',
  'CANCELED_BY_MAKER_ONLY',
  'CANCELED_BY_FOK',
  'CANCELED_ALL_BY_IOC',
  'CANCELED_PARTIAL_BY_IOC',
  'CANCELED_BY_AMEND',
  'CANCELED_BY_SELF_TRADE_PROTECTION',
] as const;
export type OrderState = (typeof ORDER_STATES)[number];

/** The coarser values of GET /v3/orders/status. */
export const ORDER_STATUSES = ['OPEN', 'PARTIAL_FILL', 'FILLED', 'CANCELED'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** The same for GET /v3/orders/working, which spells one of them differently. */
export const WORKING_STATUSES = ['OPEN', 'PARTIALLY_FILLED'] as const;

export const NOTICES = ['OrderOpened', 'OrderMatched', 'OrderModified', 'OrderClosed'] as const;
export type Notice = (typeof NOTICES)[number];

export const CANCEL_ALL_NOTICES = {
  queued: 'Orders queued for cancelation',
  none: 'No working orders found',
} as const;

export const MATCH_TYPES = ['TAKER', 'MAKER'] as const;
export type MatchType = (typeof MATCH_TYPES)[number];

/** Where an order came from. Values of removed products stay, so that the numbers keep their meaning. */
export const SOURCES = {
  GUI: 0,
  BORROW: 2,
  UNNAMED: 10,
  REST: 11,
  WEBSOCKET: 13,
  DELIVERY: 22,
  PHYSICAL_SETTLEMENT: 31,
  CASH_SETTLEMENT: 32,
  TRANSFER: 33,
  AUTOMATIC_BORROW: 101,
  BORROW_POSITION_LIQUIDATION: 102,
  POSITION_LIQUIDATION: 103,
  LIQUIDATION_REVERT: 104,
  ADL: 108,
  AUTOMATIC_REPAYMENT: 111,
  BLP_ASSIGNMENT: 150,
} as const;

export const ACCOUNT_TYPES = ['LINEAR', 'STANDARD', 'PORTFOLIO'] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];

export const MARKET_TYPES = ['SPOT', 'FUTURE'] as const;
export type MarketType = (typeof MARKET_TYPES)[number];

export const MARKET_STATES = ['OPEN', 'CANCEL_ONLY', 'HALTED'] as const;
export type MarketState = (typeof MARKET_STATES)[number];

export const WALLET_TYPES = [
  'DEPOSIT',
  'WITHDRAWAL',
  'INTERNAL',
  'FUNDING',
  'TRADE',
  'TRADE_FEE',
  'LIQUIDATION',
] as const;
export type WalletType = (typeof WALLET_TYPES)[number];

export const TRANSFER_STATUSES = ['COMPLETED', 'PENDING', 'FAILED'] as const;

/** What a key may do. Every key may read; `withdraw` is for parent keys and implies `trade`. */
export const PERMISSIONS = ['read', 'trade', 'withdraw'] as const;
export type Permission = (typeof PERMISSIONS)[number];

/** What a family may not do. `inactive` may also apply to one sub-account. */
export const RESTRICTIONS = ['no-trade', 'no-withdraw', 'locked', 'inactive'] as const;
export type Restriction = (typeof RESTRICTIONS)[number];

/**
 * What an operator may do. All of them may read; `support` manages accounts and keys, `treasury` deposits and
 * withdrawals, `risk` markets, prices and limits, and `admin` may do everything.
 */
export const OPERATOR_ROLES = ['viewer', 'support', 'treasury', 'risk', 'admin'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** The venue's own purses between which operators may move funds, within one asset. */
export const FUNDS = ['fees', 'insurance', 'rounding', 'network-costs', 'deficit'] as const;
export type Fund = (typeof FUNDS)[number];

export const MAIN_ACCOUNT_NAME = 'main';
export const NATIVE_ASSET = 'OX';
