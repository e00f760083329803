/**
 * The stream: one websocket for public channels, private channels and order commands. Messages are JSON in
 * text frames, and the bare words ping and pong. docs/STREAM.md describes it message by message.
 */
export const STREAM_PATH = '/v2/websocket';

/** What is signed for a login, after the timestamp. */
const LOGIN_PATH = 'GET/auth/self/verify';

/** The message that a login signs; `timestamp` in milliseconds, as digits. */
export const loginMessage = (timestamp: string): string => `${timestamp}${LOGIN_PATH}`;

/** Operations on orders, each with the name used in its answers. */
export const ORDER_OPS = {
  placeorder: { event: 'placeorder', isBatch: false },
  placeorders: { event: 'placeorder', isBatch: true },
  modifyorder: { event: 'modifyorder', isBatch: false },
  modifyorders: { event: 'modifyorder', isBatch: true },
  cancelorder: { event: 'cancelorder', isBatch: false },
  cancelorders: { event: 'cancelorder', isBatch: true },
} as const;
export type OrderOp = keyof typeof ORDER_OPS;
export type OrderEventName = (typeof ORDER_OPS)[OrderOp]['event'];

/** The maximum number of elements in a batch. */
export const BATCH_MAX = 20;
/** The maximum length of a tag. */
export const TAG_MAX = 32;
/** The maximum length of the client's name for a command. */
export const REQUEST_ID_MAX = 64;

/** Lengths of candles, in seconds: channels candles60s, candles180s... */
export const CANDLE_SECONDS: readonly number[] = [
  60, 180, 300, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200, 86_400,
];

/** The number of levels per side in the whole book. */
export const BOOK_LEVELS = 400;
