import type { Rejection } from '../../domain/rejections.ts';
import type { Endpoint } from '../endpoint.ts';

/**
 * How each endpoint can refuse, for the documentation: what applies to any request, and what is specific to
 * it. The fuzzer fails on a code that is not here.
 */
export function refusalsOf(endpoint: Endpoint): {
  readonly own: readonly Rejection[];
  readonly common: readonly Rejection[];
} {
  const { method, path, access } = endpoint;
  const own = OWN[`${method} ${path}`] ?? [];
  const common = [
    ...(access === 'public' ? [] : SIGNED),
    ...REQUEST,
    ...(method === 'GET' ? [] : BODY),
    ...(method === 'GET' ? (['UNAVAILABLE'] as const) : ACTING),
  ];
  return { own, common: common.filter((one) => !own.includes(one)) };
}

const REQUEST = ['RATE_LIMITED', 'PARAMETER_MISSING', 'PARAMETER_INVALID'] as const;
const SIGNED = [
  'HEADER_MISSING',
  'KEY_UNKNOWN',
  'SIGNATURE_INVALID',
  'TIMESTAMP_OUT_OF_RANGE',
  'ADDRESS_NOT_ALLOWED',
  'PERMISSION_MISSING',
] as const;
const BODY = ['BODY_TOO_LARGE', 'JSON_INVALID', 'REQUEST_UNEXPECTED'] as const;
const ACTING = [
  ...(['ACCOUNT_STATUS', 'ANSWERED_BEFORE', 'BUSY'] as const),
  ...(['UNAVAILABLE', 'OUTCOME_UNKNOWN'] as const),
] as const;

/** By the shape of an order, in the order in which it is read. */
const SHAPE = [
  ...(['MARKET_REQUIRED', 'MARKET_UNKNOWN', 'SIDE_REQUIRED', 'SIDE_INVALID'] as const),
  ...(['ORDER_TYPE_REQUIRED', 'ORDER_TYPE_INVALID', 'TIME_IN_FORCE_INVALID'] as const),
  ...(['STP_MODE_INVALID', 'CLIENT_ORDER_ID_NOT_LONG', 'CLIENT_ORDER_ID_NEGATIVE'] as const),
  ...(['AMOUNT_NOT_SUPPORTED', 'QUANTITY_NOT_POSITIVE', 'QUANTITY_OFF_LOT'] as const),
  ...(['DISPLAY_QUANTITY_INVALID', 'PRICE_REQUIRED', 'PRICE_NOT_POSITIVE'] as const),
  ...(['PRICE_OFF_TICK', 'TRIGGER_TYPE_INVALID', 'STOP_PRICE_INVALID'] as const),
  ...(['BUY_STOP_ABOVE_LIMIT', 'SELL_STOP_BELOW_LIMIT', 'REDUCE_ONLY_INVALID'] as const),
  'ORDER_TEXT_INVALID',
] as const;
/** By the state of the venue, in the order in which it is checked. */
const STATE = [
  ...(['MARKET_CLOSED', 'ORDER_TOO_LATE', 'SPECIFICATION_CHANGED', 'ORDER_NAME_TAKEN'] as const),
  ...(['PRICE_BELOW_BAND', 'PRICE_ABOVE_BAND', 'TOO_MANY_OPEN_ORDERS'] as const),
  ...(['SIZE_TOO_LARGE', 'MARGIN_TOO_LOW', 'BALANCE_TOO_LOW', 'POSITION_TOO_SMALL'] as const),
] as const;
const NAMING = [
  ...(['ORDER_ID_REQUIRED', 'ORDER_ID_INVALID', 'ORDER_NOT_FOUND'] as const),
  ...(['CLIENT_ORDER_ID_NOT_LONG', 'CLIENT_ORDER_ID_NEGATIVE'] as const),
] as const;

const FACTORS = [
  ...(['SECOND_FACTOR_OFF', 'SECOND_FACTOR_WRONG', 'SECOND_FACTOR_TOO_SOON'] as const),
  'SECOND_FACTOR_LOCKED',
] as const;
const PAYING = [
  ...(['ASSET_UNKNOWN', 'WITHDRAWAL_ADDRESS_MISSING', 'WITHDRAWAL_ADDRESS_FORMAT'] as const),
  ...(['WITHDRAWAL_ADDRESS_WATCHED', 'MEMO_FORMAT', 'TOO_MANY_DECIMALS'] as const),
] as const;

const OWN: Readonly<Record<string, readonly Rejection[]>> = {
  'POST /v3/orders/place': [...SHAPE, ...STATE],
  'POST /v3/orders/modify': [
    ...new Set<Rejection>([...NAMING, 'AMEND_INVALID', ...SHAPE, ...STATE]),
  ],
  'DELETE /v3/orders/cancel': [
    ...(['MARKET_REQUIRED', 'MARKET_UNKNOWN', ...NAMING, 'ORDER_TEXT_INVALID'] as const),
    ...(['ORDER_TOO_LATE', 'MARKET_CLOSED'] as const),
  ],
  'DELETE /v3/orders/cancel-all': ['MARKET_UNKNOWN', 'MARKET_CLOSED'],
  'POST /v3/orders/cancel-all-after': ['MARKET_UNKNOWN'],
  'POST /v3/orders/preview': [...SHAPE, ...STATE],
  'GET /v3/orders/status': ['ORDER_ID_REQUIRED', 'ORDER_ID_INVALID', 'RESULT_NOT_FOUND'],
  'GET /v3/orders/working': ['MARKET_UNKNOWN', 'ORDER_ID_INVALID'],
  'POST /v3/margin/estimate': [
    ...(['ASSET_UNKNOWN', 'SUB_ACCOUNT_INVALID', 'MARKET_UNKNOWN', 'SIDE_INVALID'] as const),
    ...(['QUANTITY_OFF_LOT', 'PRICE_OFF_TICK', 'PRICE_ABOVE_BAND', 'SIZE_TOO_LARGE'] as const),
    ...SHAPE.filter((one) => one.endsWith('REQUIRED') || one.endsWith('POSITIVE')),
  ],
  'POST /v3/transfer': [
    ...(['ASSET_UNKNOWN', 'SUB_ACCOUNT_INVALID', 'SAME_ACCOUNT', 'TOO_MANY_DECIMALS'] as const),
    ...(['VALIDATION_FAILED', 'AVAILABLE_TOO_LOW', 'TRANSFER_RISK', 'ACCOUNT_FROZEN'] as const),
    ...(['NOT_MAIN_ACCOUNT', 'BALANCE_INSUFFICIENT', 'LIMIT_REACHED'] as const),
  ],
  'GET /v3/deposit-addresses': ['DEPOSIT_SUSPENDED', 'WALLET_UNAVAILABLE'],
  'POST /v3/withdrawal': [
    ...(['WITHDRAWAL_SUSPENDED', ...PAYING, 'VALIDATION_FAILED', ...FACTORS] as const),
    ...(['WHITELIST_FIRST', 'WITHDRAWAL_BELOW_MINIMUM', 'WITHDRAWAL_FEE_NOT_COVERED'] as const),
    ...(['WITHDRAWAL_ABOVE_AVAILABLE', 'WITHDRAWAL_LIMIT', 'WITHDRAWAL_RISK'] as const),
    ...(['WITHDRAWAL_FAILED', 'LIMIT_REACHED', 'AVAILABLE_TOO_LOW'] as const),
  ],
  'DELETE /v3/withdrawal': ['RESULT_NOT_FOUND', 'WITHDRAWAL_FAILED'],
  'GET /v3/withdrawal': ['ASSET_UNKNOWN'],
  'GET /v3/deposit': ['ASSET_UNKNOWN'],
  'GET /v3/transfer': ['ASSET_UNKNOWN'],
  'GET /v3/withdrawal-fee': [
    ...(['WITHDRAWAL_SUSPENDED', ...PAYING, 'VALIDATION_FAILED'] as const),
    ...(['WITHDRAWAL_BELOW_MINIMUM', 'WITHDRAWAL_FEE_NOT_COVERED'] as const),
  ],
  'GET /v3/withdrawal-addresses': ['ASSET_UNKNOWN'],
  'POST /v3/withdrawal-addresses': [...PAYING, ...FACTORS, 'LIMIT_REACHED'],
  'DELETE /v3/withdrawal-addresses': [...PAYING, 'RESULT_NOT_FOUND'],
  'POST /v3/withdrawal-whitelist': [...FACTORS],
  'POST /v3/second-factors/confirm': [...FACTORS, 'ALREADY_EXISTS'],
  'DELETE /v3/second-factors': [...FACTORS, 'RESULT_NOT_FOUND'],
  'POST /v3/session': ['PASSWORD_WRONG', ...FACTORS, 'SUB_ACCOUNT_INVALID', 'LIMIT_REACHED'],
  'POST /v3/session/account': ['SUB_ACCOUNT_INVALID', 'LIMIT_REACHED'],
  'DELETE /v3/session': ['RESULT_NOT_FOUND', 'KEY_UNKNOWN'],
  'POST /v3/invitation': ['TOKEN_INVALID', 'RESULT_NOT_FOUND', 'PASSWORD_WEAK', ...FACTORS],
  'POST /v3/registration': [
    'ALREADY_EXISTS',
    'PASSWORD_WEAK',
    'PERMISSION_MISSING',
    'LIMIT_REACHED',
  ],
  'POST /v3/password': ['PASSWORD_WRONG', 'PASSWORD_WEAK', ...FACTORS],
  'POST /v3/api-keys': ['SUB_ACCOUNT_INVALID', 'LIMIT_REACHED', ...FACTORS],
  'DELETE /v3/api-keys': ['RESULT_NOT_FOUND', 'KEY_UNKNOWN'],
  'POST /v3/sub-accounts': ['ALREADY_EXISTS', 'LIMIT_REACHED'],
  'POST /v3/sub-accounts/rename': ['SUB_ACCOUNT_INVALID', 'ALREADY_EXISTS'],
  'POST /v3/sub-accounts/freeze': ['SUB_ACCOUNT_INVALID'],
  ...Object.fromEntries(
    [
      ...['GET /v3/positions', 'GET /v3/orders', 'GET /v3/trades', 'GET /v3/funding'],
      ...['GET /v3/markets', 'GET /v3/tickers', 'GET /v3/candles', 'GET /v3/depth'],
      ...['GET /v3/markets/operational', 'GET /v3/exchange-trades', 'GET /v3/funding/rates'],
      ...['GET /v3/funding/estimates', 'GET /v3/leverage/tiers'],
    ].map((endpoint): [string, readonly Rejection[]] => [endpoint, ['MARKET_UNKNOWN']]),
  ),
  'GET /v3/balances': ['ASSET_UNKNOWN'],
  'GET /v3/assets': ['ASSET_UNKNOWN'],
};
