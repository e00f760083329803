/**
 * Every reason for a refusal, in one place.
 *
 * Within a group they are in order of precedence: where several apply, the caller gets the first. The message
 * is the rule; the value sent, the limit and the nearest valid value are added where the refusal is created.
 * A code, once published, keeps its meaning for ever.
 */
export const REJECTIONS = {
  // Any request, before its endpoint is known.
  RATE_LIMITED: { code: '429', message: 'Rate limit reached' },
  PATH_UNKNOWN: { code: '20003', message: 'Unrecognized operation' },
  METHOD_UNKNOWN: { code: '20003', message: 'Unrecognized operation: wrong method for this path' },
  BODY_TOO_LARGE: { code: '20027', message: 'Message is longer than the maximum' },
  HEADERS_TOO_LARGE: { code: '20027', message: 'Headers are longer than the maximum' },
  REQUEST_TOO_SLOW: { code: '10001', message: 'The request took too long to arrive' },
  TOO_MANY_IN_FLIGHT: { code: '20007', message: 'Too many requests in flight on one connection' },
  HEADER_MISSING: { code: '30001', message: 'Required header is missing' },
  KEY_UNKNOWN: { code: '20025', message: 'API key is invalid' },
  SIGNATURE_INVALID: { code: '20000', message: 'Signature is invalid' },
  TIMESTAMP_REQUIRED: { code: '20023', message: 'timestamp is required' },
  TIMESTAMP_OUT_OF_RANGE: { code: '20024', message: 'Timestamp exceeds the threshold' },
  ADDRESS_NOT_ALLOWED: { code: '05001', message: 'This key may not be used from this address' },
  PERMISSION_MISSING: { code: '05001', message: 'Your operation authority is invalid' },
  ALREADY_LOGGED_IN: { code: '20005', message: 'Already logged in' },
  TOKEN_INVALID: { code: '20026', message: 'Token is invalid or expired' },
  TOO_RAPID: { code: '20007', message: 'The server is accessed too rapidly' },
  TAG_TOO_LONG: { code: '20034', message: 'tag must be at most 32 characters' },
  REQUEST_UNEXPECTED: { code: '20002', message: 'The request data does not comply' },
  JSON_INVALID: { code: '20009', message: 'JSON data format is invalid' },
  PARAMETER_MISSING: { code: '30001', message: 'Required parameter is missing' },
  PARAMETER_INVALID: { code: '20001', message: 'Parameter is invalid' },
  RESULT_NOT_FOUND: { code: '20001', message: 'result not found, please check your parameters' },
  NO_RESULT: { code: '40001', message: 'no result, please check your parameters' },

  // An order's shape, in the order in which it is read.
  MARKET_REQUIRED: { code: '20011', message: 'marketCode is required' },
  MARKET_UNKNOWN: { code: '20015', message: 'marketCode is invalid' },
  SIDE_REQUIRED: { code: '20012', message: 'side is required' },
  SIDE_INVALID: { code: '20016', message: 'side is invalid' },
  ORDER_TYPE_REQUIRED: { code: '20013', message: 'orderType is required' },
  ORDER_TYPE_INVALID: { code: '20017', message: 'orderType is invalid' },
  TIME_IN_FORCE_INVALID: { code: '20018', message: 'timeInForce is invalid' },
  STP_MODE_INVALID: { code: '20050', message: 'selfTradePreventionMode is invalid' },
  CLIENT_ORDER_ID_NOT_LONG: { code: '20014', message: 'clientOrderId is not long type' },
  CLIENT_ORDER_ID_NEGATIVE: {
    code: '20008',
    message: 'clientOrderId must be greater than zero if provided',
  },
  AMOUNT_NOT_SUPPORTED: { code: '20044', message: 'amount is not supported for this order' },
  QUANTITY_NOT_POSITIVE: { code: '20006', message: 'quantity must be greater than zero' },
  QUANTITY_OFF_LOT: {
    code: '100008',
    message: 'quantity must be a multiple of the quantity increment',
  },
  DISPLAY_QUANTITY_INVALID: { code: '20001', message: 'displayQuantity is invalid' },
  PRICE_REQUIRED: { code: '20022', message: 'price is required for LIMIT order' },
  PRICE_NOT_POSITIVE: {
    code: '20028',
    message: 'price, stopPrice and limitPrice must be greater than zero',
  },
  PRICE_OFF_TICK: { code: '20021', message: 'price is invalid' },
  TRIGGER_TYPE_INVALID: { code: '20033', message: 'triggerType is invalid' },
  STOP_PRICE_INVALID: { code: '20020', message: 'stopPrice or limitPrice is invalid' },
  BUY_STOP_ABOVE_LIMIT: {
    code: '20029',
    message: 'stopPrice of a BUY order must not be above limitPrice',
  },
  SELL_STOP_BELOW_LIMIT: {
    code: '20030',
    message: 'limitPrice of a SELL order must not be above stopPrice',
  },
  REDUCE_ONLY_INVALID: { code: '20001', message: 'reduceOnly is for perpetual markets only' },
  ORDER_TEXT_INVALID: { code: '20001', message: 'A text of the order is invalid' },
  ORDER_ID_REQUIRED: { code: '20010', message: 'Either clientOrderId or orderId is required' },
  ORDER_ID_INVALID: { code: '20019', message: 'orderId is invalid' },

  // An order against the state of the venue.
  ACCOUNT_STATUS: { code: '300001', message: 'Invalid account status' },
  MARKET_CLOSED: { code: '20031', message: 'The market is closed for trading temporarily' },
  MARKET_INACTIVE: { code: '200050', message: 'The market is not active' },
  ORDER_TOO_LATE: { code: '100015', message: 'recvWindow has expired' },
  SPECIFICATION_CHANGED: {
    code: '20032',
    message: 'Failed to submit: the market has changed its specification',
  },
  ORDER_NAME_TAKEN: { code: '710009', message: 'Another open order has this name' },
  PRICE_BELOW_BAND: { code: '710002', message: 'price is lower than the minimum' },
  PRICE_ABOVE_BAND: { code: '710003', message: 'price is higher than the maximum' },
  TOO_MANY_OPEN_ORDERS: { code: '710008', message: 'too many open orders' },
  SIZE_TOO_LARGE: { code: '710004', message: 'quantity exceeds the limit' },
  MARGIN_TOO_LOW: { code: '710005', message: 'insufficient margin' },
  BALANCE_TOO_LOW: { code: '710006', message: 'insufficient balance' },
  POSITION_TOO_SMALL: { code: '710007', message: 'insufficient position' },
  SYSTEM_FAILURE: { code: '710001', message: 'System failure' },
  ORDER_NOT_FOUND: { code: '40035', message: 'Open order not found with clientOrderId or orderId' },
  OPEN_ORDER_NOT_FOUND: { code: '100005', message: 'Open order not found' },
  ORDER_NOT_OWNED: { code: '100006', message: 'Open order is not owned by the user' },
  ORDER_REQUEST_REJECTED: { code: '100004', message: 'Order request was rejected' },
  AMEND_INVALID: { code: '40032', message: 'Invalid request data' },

  // Transfers, deposits and withdrawals.
  VALIDATION_FAILED: { code: '0010', message: 'Validation failed' },
  ASSET_UNKNOWN: { code: '35037', message: 'Instrument not found' },
  SUB_ACCOUNT_INVALID: { code: '45026', message: 'Sub-account is invalid' },
  SAME_ACCOUNT: { code: '35025', message: 'Source and destination are the same account' },
  NOT_MAIN_ACCOUNT: { code: '35027', message: 'Not the main account' },
  TOO_MANY_DECIMALS: { code: '35028', message: 'Too many decimal digits' },
  AVAILABLE_TOO_LOW: { code: '35036', message: 'Available amount is insufficient' },
  BALANCE_INSUFFICIENT: { code: '35032', message: 'Balance is insufficient' },
  TRANSFER_RISK: { code: '35002', message: 'Risk too high to transfer' },
  WITHDRAWAL_SUSPENDED: { code: '35043', message: 'Withdrawals are suspended' },
  DEPOSIT_SUSPENDED: { code: '35044', message: 'Deposits are suspended' },
  WITHDRAWAL_ADDRESS_MISSING: { code: '31004', message: 'Address is missing' },
  WITHDRAWAL_ADDRESS_FORMAT: { code: '35026', message: 'Address format is wrong' },
  WITHDRAWAL_ADDRESS_WATCHED: { code: '35041', message: 'Address is on a watch list' },
  MEMO_FORMAT: { code: '35045', message: 'Memo format is incorrect' },
  WHITELIST_FIRST: { code: '25010', message: 'The address is not whitelisted' },
  WITHDRAWAL_BELOW_MINIMUM: { code: '31003', message: 'Below the minimum withdrawal' },
  WITHDRAWAL_ABOVE_AVAILABLE: { code: '31001', message: 'Amount exceeds the maximum available' },
  WITHDRAWAL_LIMIT: { code: '35023', message: 'Over the limit' },
  WITHDRAWAL_RISK: { code: '35022', message: 'Risk too high to withdraw' },
  WITHDRAWAL_FEE_NOT_COVERED: { code: '35039', message: 'Amount does not cover the fee' },
  WITHDRAWAL_FEE_WRONG: { code: '35035', message: 'Fee calculation is wrong' },
  WITHDRAWAL_FAILED: { code: '35021', message: 'Withdrawal failed' },
  PASSWORD_WRONG: { code: '25002', message: 'Name or password is wrong' },
  PASSWORD_WEAK: { code: '20001', message: 'The password is too weak' },
  SECOND_FACTOR_OFF: { code: '25009', message: '2FA is not turned on' },
  SECOND_FACTOR_WRONG: { code: '25030', message: 'Invalid code' },
  SECOND_FACTOR_TOO_SOON: { code: '25032', message: 'Too frequent, try again after 10 s' },
  SECOND_FACTOR_LOCKED: { code: '45038', message: 'Too many wrong codes' },
  REGION_NOT_SERVED: { code: '25011', message: 'Country or region is not in the service area' },
  ACCOUNT_FROZEN: { code: '45031', message: 'The account is frozen' },
  WALLET_UNAVAILABLE: { code: '35034', message: 'The wallet is not functioning properly' },
  REPEATED_CLICK: { code: '65001', message: 'Do not click repeatedly' },

  // The operator's acts.
  CATALOGUE_INVALID: { code: '20001', message: 'The catalogue entry is invalid' },
  ALREADY_EXISTS: { code: '20001', message: 'It exists already' },
  MARKET_IN_USE: { code: '20001', message: 'Terms change while a market is halted and empty' },
  LIMIT_REACHED: { code: '35023', message: 'Over the limit' },

  // The venue itself.
  COMMAND_SET_ASIDE: { code: '50001', message: 'This request was set aside after a fault' },
  ANSWERED_BEFORE: {
    code: '65001',
    message: 'This request was taken before and is not done again',
  },
  BUSY: { code: '000201', message: 'The trade service is busy, try again later' },
  UNAVAILABLE: { code: '000101', message: 'The server is temporarily unavailable' },
  OUTCOME_UNKNOWN: {
    code: '000101',
    message: 'outcome unknown, send the same bytes again',
  },
  INTERNAL: { code: '50001', message: 'Unknown server error' },
} as const satisfies Record<string, { code: string; message: string }>;

export type Rejection = keyof typeof REJECTIONS;

/** A refused request: the rule and, if applicable, the limit, the value sent and the nearest valid one. */
export type Refusal = { readonly rejected: Rejection; readonly message: string };

/** `detail` follows the rule after a colon: "price 60000.3 is not a multiple of tick 1; ...". */
export function refuse(rejected: Rejection, detail?: string): Refusal {
  const rule = REJECTIONS[rejected].message;
  return { rejected, message: detail === undefined ? rule : `${rule}: ${detail}` };
}

export const isRefusal = (value: object): value is Refusal => 'rejected' in value;

/** The value sent, shortened for a message. */
export const shortened = (text: string): string =>
  text.length <= 60 ? text : `${text.slice(0, 57)}...`;
