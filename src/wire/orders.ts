import { type TOptional, type TUnsafe, Type } from 'typebox';
import {
  CANCEL_ALL_NOTICES,
  NOTICES,
  type Notice,
  ORDER_STATES,
  ORDER_STATUSES,
  ORDER_TYPES,
  type OrderType,
  RESPONSE_TYPES,
  SIDES,
  type Side,
  STP_MODES,
  type StpMode,
  TIMES_IN_FORCE,
  type TimeInForce,
  TRIGGER_TYPES,
  type TriggerType,
  WORKING_STATUSES,
} from '../domain/terms.ts';
import { endpoint } from './endpoint.ts';
import {
  NAME_MEMBERS,
  NAMES_ASKED,
  type NamesSent,
  TEXT_MEMBERS,
  TEXT_SHAPES,
  type TextsSent,
} from './order-texts.ts';
import {
  DecimalText,
  ID_PATTERN,
  IdSent,
  IdText,
  LIMIT_PATTERN,
  TimeText,
  WordSent,
} from './scalars.ts';

/** The maximum number of orders that one request may place, modify or cancel. */
const ORDERS_MAX = 8;
/** The default of recvWindow if a timestamp is sent. */
export const RECV_WINDOW_DEFAULT_MS = 1_000;

/** An order as sent. Numbers may be JSON numbers or text; both are read exactly. */
export type OrderSent = TextsSent & {
  readonly clientOrderId?: string;
  readonly marketCode: string;
  readonly side: Side;
  readonly orderType: OrderType;
  readonly quantity?: string;
  readonly amount?: string;
  readonly displayQuantity?: string;
  readonly timeInForce?: TimeInForce;
  readonly price?: string;
  readonly stopPrice?: string;
  readonly limitPrice?: string;
  readonly triggerType?: TriggerType;
  readonly selfTradePreventionMode?: StpMode;
  readonly reduceOnly?: boolean;
};
/** Which open order is meant. */
export type OrderRefSent = NamesSent & {
  readonly marketCode: string;
  readonly orderId?: string;
  readonly clientOrderId?: string;
};
/** The new values of an open order; omitted members keep theirs. */
export type AmendmentSent = OrderRefSent &
  Partial<
    Pick<OrderSent, 'side' | 'orderType' | 'price' | 'stopPrice' | 'limitPrice' | 'quantity'>
  >;

/**
 * The schema describes elements but does not check them: an unreadable one is refused at its position, and
 * the others are processed.
 */
const elements = <Sent>(what: string, properties: Readonly<Record<string, string>>) =>
  Type.Array(
    Type.Unsafe<Sent>({
      description: what,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, description]) => [name, { description }]),
      ),
    } as object),
    {
      minItems: 1,
      maxItems: ORDERS_MAX,
      description: `a list of 1 to ${ORDERS_MAX} orders`,
    },
  );

/** Members that existing clients send and that are ignored here, or are a second spelling. */
export const ALSO_SENT = ['orderId', 'orderID', 'triggerPrice', 'source', 'tag', 'requested'];

const REF_MEMBERS = {
  marketCode: 'required',
  orderId: 'the id of the venue; required where nothing else names the order',
  clientOrderId: 'the id of the caller, used where orderId is absent or finds nothing',
  ...NAME_MEMBERS,
};
const PRICE_MEMBERS = {
  price: 'limit price of a LIMIT order, a multiple of the tick',
  stopPrice: 'the price that triggers a stop order (also: triggerPrice)',
  limitPrice: 'limit price of a STOP_LIMIT order',
};
const ORDER_MEMBERS = {
  clientOrderId: 'at most 9223372036854775807; absent or 0: none',
  ...TEXT_MEMBERS,
  marketCode: 'required',
  side: `required: ${SIDES.join(' or ')}`,
  orderType: `required: ${ORDER_TYPES.join(', ')}; STOP_MARKET on perpetuals only, on spot it is refused (20017)`,
  quantity: 'a multiple of the lot; absent, null or 0 where amount is given, else refused (20044)',
  amount:
    'how much of the counter asset to spend: spot BUY only, and never beside a quantity (20044)',
  displayQuantity: 'how much of the quantity the book shows',
  timeInForce: `${TIMES_IN_FORCE.join(', ')}; GTC by default`,
  ...PRICE_MEMBERS,
  triggerType: `${TRIGGER_TYPES.join(', ')}; MARK_PRICE by default`,
  selfTradePreventionMode: `${STP_MODES.join(', ')}; NONE by default`,
  reduceOnly: 'extension, perpetuals: only ever makes the position smaller',
};

const AMENDMENT_MEMBERS = {
  ...REF_MEMBERS,
  ...PRICE_MEMBERS,
  quantity: 'the new total, what is filled already included',
  side: 'cannot change; refused where it differs',
  orderType: 'cannot change; refused where it differs',
};
/** The member names of such elements; `--strict` refuses others. */
export const MEMBERS = {
  order: Object.keys(ORDER_MEMBERS),
  amendment: Object.keys({ ...ORDER_MEMBERS, ...AMENDMENT_MEMBERS }),
  ref: Object.keys(REF_MEMBERS),
};

/** The members of one order, for a request that is itself an order: described, not checked. */
export const ORDER_ASKED = Object.fromEntries(
  Object.entries(ORDER_MEMBERS).map(([name, description]) => [
    name,
    Type.Optional(Type.Unsafe({ description } as object)),
  ]),
) as { [Name in keyof OrderSent]-?: TOptional<TUnsafe<NonNullable<OrderSent[Name]>>> };

/** A 64-bit LONG in any spelling of a number; one beyond what a clock can show is never reached. */
const longMillis = (description: string) =>
  Type.Optional(
    Type.String({ pattern: '^\\d{1,19}(\\.\\d{1,40})?([eE][+-]?\\d{1,2})?$', description }),
  );
const REQUEST = {
  responseType: Type.Optional(
    Type.Enum([...RESPONSE_TYPES], { description: RESPONSE_TYPES.join(' or ') }),
  ),
  timestamp: longMillis('whole milliseconds since 1970-01-01 UTC, not negative'),
  recvWindow: longMillis('a whole number of milliseconds, not negative'),
};

const Sides = Type.Enum([...SIDES]);
const TriggerTypes = Type.Optional(Type.Enum([...TRIGGER_TYPES]));
const optional = { decimal: Type.Optional(DecimalText), time: Type.Optional(TimeText) };
const flag = Type.Optional(Type.Boolean());

/** The fields of an order that every response about it has. */
const ORDER = {
  orderId: IdText,
  clientOrderId: IdText,
  ...TEXT_SHAPES,
  marketCode: Type.String(),
  side: Sides,
  price: optional.decimal,
  stopPrice: optional.decimal,
  isTriggered: Type.Boolean(),
  displayQuantity: DecimalText,
  remainQuantity: DecimalText,
  amount: DecimalText,
  orderType: Type.Enum([...ORDER_TYPES]),
  triggerType: TriggerTypes,
  timeInForce: Type.Enum([...TIMES_IN_FORCE]),
  reduceOnly: flag,
  source: Type.String(),
  createdAt: TimeText,
  lastModifiedAt: TimeText,
  lastMatchedAt: optional.time,
};

/**
 * One shape for an accepted order (FULL), an accepted order (ACK) and a refused one: each omits what does not
 * apply. A refused one repeats the request as it was sent.
 */
const text = Type.Optional(Type.String());
/** One of these values; a refused order repeats whatever was sent instead. */
const word = <Word extends string>() => Type.Optional(Type.Unsafe<Word>(Type.String()));
const RESULT = {
  accountId: Type.Optional(IdText),
  code: text,
  message: text,
  submitted: Type.Boolean(),
  /** A refused amendment repeats the value that was sent. */
  orderId: text,
  clientOrderId: text,
  ...TEXT_SHAPES,
  marketCode: text,
  status: Type.Optional(Type.Enum([...ORDER_STATES])),
  side: word<Side>(),
  price: text,
  stopPrice: text,
  isTriggered: flag,
  quantity: text,
  amount: text,
  displayQuantity: text,
  remainQuantity: optional.decimal,
  matchId: Type.Optional(IdText),
  matchPrice: optional.decimal,
  matchQuantity: optional.decimal,
  feeInstrumentId: text,
  fees: optional.decimal,
  cumulativeMatchedQuantity: optional.decimal,
  avgFillPrice: optional.decimal,
  orderType: word<OrderType>(),
  triggerType: word<TriggerType>(),
  timeInForce: word<TimeInForce>(),
  reduceOnly: flag,
  selfTradePreventionMode: word<StpMode>(),
  source: Type.String(),
  createdAt: TimeText,
  lastModifiedAt: optional.time,
  lastMatchedAt: optional.time,
};
/** Only an amendment modifies. */
const PlaceResult = Type.Object({
  notice: Type.Optional(
    Type.Unsafe<Notice>(Type.Enum(NOTICES.filter((notice) => notice !== 'OrderModified'))),
  ),
  ...RESULT,
});
const ModifyResult = Type.Object({ notice: Type.Optional(Type.Enum([...NOTICES])), ...RESULT });

const CancelResult = Type.Object({
  notice: Type.Optional(Type.Literal('OrderClosed')),
  accountId: Type.Optional(IdText),
  code: text,
  message: text,
  submitted: Type.Boolean(),
  orderId: text,
  clientOrderId: text,
  ...TEXT_SHAPES,
  marketCode: text,
  status: Type.Optional(Type.Enum([...ORDER_STATES])),
  side: Type.Optional(Sides),
  price: optional.decimal,
  stopPrice: optional.decimal,
  isTriggered: flag,
  quantity: optional.decimal,
  amount: optional.decimal,
  displayQuantity: optional.decimal,
  remainQuantity: optional.decimal,
  /** The published interface spells a stop-limit `STOP` here, and only here. */
  orderType: Type.Optional(Type.Enum(['MARKET', 'LIMIT', 'STOP', 'STOP_MARKET'])),
  triggerType: TriggerTypes,
  timeInForce: Type.Optional(Type.Enum([...TIMES_IN_FORCE])),
  reduceOnly: flag,
  closedAt: TimeText,
});

export const Order = Type.Object({
  ...ORDER,
  status: Type.Enum([...ORDER_STATUSES]),
  totalQuantity: DecimalText,
  cumulativeMatchedQuantity: DecimalText,
  avgFillPrice: optional.decimal,
  fees: Type.Optional(Type.Array(Type.Record(Type.String(), DecimalText))),
  canceledAt: optional.time,
});

const WorkingOrder = Type.Object({
  ...ORDER,
  status: Type.Enum([...WORKING_STATUSES]),
  quantity: DecimalText,
  matchedQuantity: DecimalText,
});

export const placeOrders = endpoint({
  method: 'POST',
  path: '/v3/orders/place',
  access: 'trade',
  summary: 'Places up to 8 orders; each is taken or refused by itself and answered in its place',
  request: Type.Object({
    ...REQUEST,
    orders: elements<OrderSent>('an order', ORDER_MEMBERS),
  }),
  reply: Type.Array(PlaceResult),
  limits: { budget: 'orders' },
});

export const modifyOrders = endpoint({
  method: 'POST',
  path: '/v3/orders/modify',
  access: 'trade',
  summary: 'Extension: gives up to 8 open orders a new price, stop price or total quantity',
  request: Type.Object({
    ...REQUEST,
    orders: elements<AmendmentSent>(
      'what an open order shall become; the rest stays',
      AMENDMENT_MEMBERS,
    ),
  }),
  reply: Type.Array(ModifyResult),
  limits: { budget: 'orders' },
});

export const cancelOrders = endpoint({
  method: 'DELETE',
  path: '/v3/orders/cancel',
  access: 'trade',
  summary: 'Cancels up to 8 open orders; each is answered in its place',
  request: Type.Object({
    ...REQUEST,
    orders: elements<OrderRefSent>('an open order', REF_MEMBERS),
  }),
  reply: Type.Array(CancelResult),
});

export const cancelAllOrders = endpoint({
  method: 'DELETE',
  path: '/v3/orders/cancel-all',
  access: 'trade',
  summary: "Cancels all open orders of the key's account, of one market if it is named",
  request: Type.Object({ marketCode: Type.Optional(WordSent) }),
  reply: Type.Object({ notice: Type.Enum(Object.values(CANCEL_ALL_NOTICES)) }),
});

export const cancelAllAfter = endpoint({
  method: 'POST',
  path: '/v3/orders/cancel-all-after',
  access: 'trade',
  summary:
    "Extension, a dead-man switch: cancels all open orders of the key's account, of one market if it " +
    'is named, unless it is called again in time; it survives restarts and fires within a second or so; ' +
    'orders in a halted market are cancelled when it opens',
  request: Type.Object({
    timeout: Type.String({
      pattern: '^-?\\d{1,15}(\\.\\d{1,40})?([eE][+-]?\\d{1,2})?$',
      description: 'milliseconds, from 1000 to 86400000; 0 disarms it',
    }),
    marketCode: Type.Optional(WordSent),
  }),
  reply: Type.Object({
    marketCode: Type.Optional(Type.String()),
    timeout: DecimalText,
    /** When it fires; absent if it was disarmed. */
    cancelAt: optional.time,
  }),
});

const IDS = {
  orderId: Type.Optional(IdSent),
  clientOrderId: Type.Optional(IdSent),
  ...NAMES_ASKED,
};

/** What several orders may share over time. */
const SHARED = ['clientOrderId', ...Object.keys(NAMES_ASKED)];

export const getOrderStatus = endpoint({
  method: 'GET',
  path: '/v3/orders/status',
  access: 'read',
  summary: `One order, open or closed; of several with one ${SHARED.join(' or one ')} the newest`,
  request: Type.Object(IDS),
  reply: Order,
});

export const getWorkingOrders = endpoint({
  method: 'GET',
  path: '/v3/orders/working',
  access: 'read',
  summary: "All open orders of the key's account, newest first",
  request: Type.Object({
    marketCode: Type.Optional(WordSent),
    ...IDS,
    limit: Type.Optional(
      Type.String({
        pattern: LIMIT_PATTERN,
        description:
          'a whole number of at least 1, the most that are listed; all without it (extension)',
      }),
    ),
    beforeId: Type.Optional(
      Type.String({
        pattern: ID_PATTERN,
        description:
          'the orderId of the last one seen: only orders with a lower one follow (extension)',
      }),
    ),
  }),
  reply: Type.Array(WorkingOrder),
});
