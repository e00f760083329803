import { RialtoError } from '../../src/client/index.ts';
import { REJECTIONS, type Rejection } from '../../src/domain/rejections.ts';
import { isLostAnswer } from './outcome.ts';

/**
 * Where a refusal belongs in a form: the members that each rule of the catalogue is about, the likeliest
 * first. `named` is a rule about any member: the venue names it. A rule without members is about no field and
 * is shown at the button. A new rule does not compile until it has a line here.
 */
const MEMBERS = {
  RATE_LIMITED: [],
  PATH_UNKNOWN: [],
  METHOD_UNKNOWN: [],
  BODY_TOO_LARGE: [],
  HEADERS_TOO_LARGE: [],
  REQUEST_TOO_SLOW: [],
  TOO_MANY_IN_FLIGHT: [],
  HEADER_MISSING: [],
  KEY_UNKNOWN: ['accessKey'],
  SIGNATURE_INVALID: ['secret'],
  TIMESTAMP_REQUIRED: [],
  TIMESTAMP_OUT_OF_RANGE: [],
  ADDRESS_NOT_ALLOWED: [],
  PERMISSION_MISSING: [],
  ALREADY_LOGGED_IN: [],
  TOKEN_INVALID: ['token'],
  TOO_RAPID: [],
  TAG_TOO_LONG: ['tag'],
  REQUEST_UNEXPECTED: 'named',
  JSON_INVALID: [],
  PARAMETER_MISSING: 'named',
  PARAMETER_INVALID: 'named',
  RESULT_NOT_FOUND: 'named',
  NO_RESULT: 'named',

  MARKET_REQUIRED: ['marketCode'],
  MARKET_UNKNOWN: ['marketCode'],
  SIDE_REQUIRED: ['side'],
  SIDE_INVALID: ['side'],
  ORDER_TYPE_REQUIRED: ['orderType'],
  ORDER_TYPE_INVALID: ['orderType'],
  TIME_IN_FORCE_INVALID: ['timeInForce'],
  STP_MODE_INVALID: ['selfTradePreventionMode'],
  CLIENT_ORDER_ID_NOT_LONG: ['clientOrderId'],
  CLIENT_ORDER_ID_NEGATIVE: ['clientOrderId'],
  AMOUNT_NOT_SUPPORTED: ['amount', 'quantity'],
  QUANTITY_NOT_POSITIVE: ['quantity', 'amount'],
  QUANTITY_OFF_LOT: ['quantity', 'amount'],
  DISPLAY_QUANTITY_INVALID: ['displayQuantity'],
  PRICE_REQUIRED: ['price', 'limitPrice'],
  PRICE_NOT_POSITIVE: ['price', 'limitPrice', 'stopPrice'],
  PRICE_OFF_TICK: ['price', 'limitPrice', 'stopPrice'],
  TRIGGER_TYPE_INVALID: ['triggerType', 'stopPrice'],
  STOP_PRICE_INVALID: ['stopPrice', 'limitPrice', 'price'],
  BUY_STOP_ABOVE_LIMIT: ['limitPrice', 'price', 'stopPrice'],
  SELL_STOP_BELOW_LIMIT: ['limitPrice', 'price', 'stopPrice'],
  REDUCE_ONLY_INVALID: ['reduceOnly'],
  ORDER_TEXT_INVALID: 'named',
  ORDER_ID_REQUIRED: ['orderId'],
  ORDER_ID_INVALID: ['orderId'],

  ACCOUNT_STATUS: [],
  MARKET_CLOSED: ['marketCode'],
  MARKET_INACTIVE: ['marketCode'],
  ORDER_TOO_LATE: [],
  SPECIFICATION_CHANGED: [],
  ORDER_NAME_TAKEN: ['clientOrderId'],
  PRICE_BELOW_BAND: ['price', 'limitPrice', 'stopPrice'],
  PRICE_ABOVE_BAND: ['price', 'limitPrice', 'stopPrice'],
  TOO_MANY_OPEN_ORDERS: [],
  SIZE_TOO_LARGE: ['quantity', 'amount'],
  MARGIN_TOO_LOW: ['quantity', 'amount'],
  BALANCE_TOO_LOW: ['quantity', 'amount'],
  POSITION_TOO_SMALL: ['quantity', 'reduceOnly'],
  SYSTEM_FAILURE: [],
  ORDER_NOT_FOUND: ['orderId'],
  OPEN_ORDER_NOT_FOUND: ['orderId'],
  ORDER_NOT_OWNED: ['orderId'],
  ORDER_REQUEST_REJECTED: [],
  AMEND_INVALID: 'named',

  VALIDATION_FAILED: 'named',
  ASSET_UNKNOWN: ['asset'],
  SUB_ACCOUNT_INVALID: ['toAccount', 'account', 'name'],
  SAME_ACCOUNT: ['toAccount'],
  NOT_MAIN_ACCOUNT: ['fromAccount', 'account'],
  TOO_MANY_DECIMALS: ['quantity'],
  AVAILABLE_TOO_LOW: ['quantity'],
  BALANCE_INSUFFICIENT: ['quantity'],
  TRANSFER_RISK: ['quantity'],
  WITHDRAWAL_SUSPENDED: ['network', 'asset'],
  DEPOSIT_SUSPENDED: ['network', 'asset'],
  WITHDRAWAL_ADDRESS_MISSING: ['address', 'saved'],
  WITHDRAWAL_ADDRESS_FORMAT: ['address', 'saved'],
  WITHDRAWAL_ADDRESS_WATCHED: ['address', 'saved'],
  MEMO_FORMAT: ['memo', 'saved', 'address'],
  WHITELIST_FIRST: ['address', 'saved'],
  WITHDRAWAL_BELOW_MINIMUM: ['quantity'],
  WITHDRAWAL_ABOVE_AVAILABLE: ['quantity'],
  WITHDRAWAL_LIMIT: ['quantity'],
  WITHDRAWAL_RISK: ['quantity'],
  WITHDRAWAL_FEE_NOT_COVERED: ['quantity'],
  WITHDRAWAL_FEE_WRONG: ['quantity'],
  WITHDRAWAL_FAILED: [],
  PASSWORD_WRONG: ['password'],
  PASSWORD_WEAK: ['newPassword', 'password'],
  SECOND_FACTOR_OFF: ['code'],
  SECOND_FACTOR_WRONG: ['code', 'first'],
  SECOND_FACTOR_TOO_SOON: ['code', 'first'],
  SECOND_FACTOR_LOCKED: ['code', 'first'],
  REGION_NOT_SERVED: [],
  ACCOUNT_FROZEN: ['toAccount', 'fromAccount', 'account'],
  WALLET_UNAVAILABLE: ['network'],
  REPEATED_CLICK: [],

  CATALOGUE_INVALID: 'named',
  ALREADY_EXISTS: ['name', 'tfaType', 'address'],
  MARKET_IN_USE: ['marketCode'],
  LIMIT_REACHED: 'named',

  COMMAND_SET_ASIDE: [],
  ANSWERED_BEFORE: [],
  BUSY: [],
  UNAVAILABLE: [],
  OUTCOME_UNKNOWN: [],
  INTERNAL: [],
} as const satisfies Record<Rejection, readonly string[] | 'named'>;

const RULES = Object.keys(REJECTIONS) as readonly Rejection[];

/** How the venue's messages refer to a member without naming it. */
const SPOKEN: Readonly<Record<string, RegExp>> = {
  first: /\bof the new factor\b/,
  addresses: /\bIP address\b/,
  token: /\binvitation\b/,
  withdraw: /\bpermissions\b|\bmay withdraw\b/,
  tickSize: /\btick\b/,
  tiers: /\btiers?\b|\bleverage\b|\bnotionalCap\b/,
};

/** Limits on money and limits on counts share one code and message; a count is about no field. */
const COUNT = /\bat (most|a time)\b/;

/** Which of the form's members a refusal is about; undefined if none. */
export function memberOf(
  code: string,
  message: string,
  fields: readonly string[],
): string | undefined {
  const coded = RULES.filter((rule) => REJECTIONS[rule].code === code);
  const worded = coded.filter((rule) => message.startsWith(REJECTIONS[rule].message));
  const rules = worded.length === 0 ? coded : worded;
  const isNamed = rules.length === 0 || rules.some((rule) => MEMBERS[rule] === 'named');
  const listed = rules.flatMap((rule) => {
    const members: readonly string[] | 'named' = MEMBERS[rule];
    return members === 'named' ? [] : members.filter((member) => fields.includes(member));
  });
  const [, wanted] = /\bnearest (\w+) [\d.]/.exec(message) ?? [];
  if (wanted !== undefined && fields.includes(wanted)) return wanted;
  const detail = worded[0] === undefined ? message : message.slice(lengthOf(worded[0]));
  const named = firstNamed(detail, isNamed ? fields : listed);
  if (named !== undefined) return named;
  return rules.length > 1 && COUNT.test(detail) ? undefined : listed[0];
}

const lengthOf = (rule: Rejection): number => REJECTIONS[rule].message.length;

/** The one that is named first is meant. */
function firstNamed(detail: string, members: readonly string[]): string | undefined {
  const places = members.map((name) => {
    const spoken = SPOKEN[name] === undefined ? -1 : detail.search(SPOKEN[name]);
    const at = spoken < 0 ? detail.search(new RegExp(`\\b${name}\\b`)) : spoken;
    return { name, at };
  });
  return places.filter(({ at }) => at >= 0).sort((one, other) => one.at - other.at)[0]?.name;
}

/** "...; nearest 0.5", "...; nearest limitPrice 59000" */
const nearestIn = (message: string): string | undefined =>
  /\bnearest(?: [a-z]+)*:? ([\d.]*\d)/i.exec(message)?.[1];

export type Refused = {
  /** The venue's message with its code, or why it was not sent. */
  readonly text: string;
  readonly code: string;
  /** Undefined if it is about no field: then it is shown at the button. */
  readonly field: string | undefined;
  readonly nearest: string | undefined;
  /** For bug reports: code, message and the request. */
  readonly details: string;
};

export function refusedOf(reason: unknown, fields: readonly string[]): Refused {
  if (reason instanceof RialtoError) {
    const { code, message, requestId } = reason;
    const request = requestId === undefined ? '' : ` (request ${requestId})`;
    return { ...refusedAs(code, message, fields), details: `${code}: ${message}${request}` };
  }
  const text = reason instanceof Error ? reason.message : String(reason);
  const shown = isLostAnswer(reason) ? 'The venue did not answer; nothing is known' : text;
  return { text: shown, code: '', field: undefined, nearest: undefined, details: text };
}

/** A refused element of an answer. */
export const refusedAs = (code: string, message: string, fields: readonly string[]): Refused => ({
  text: `${code}: ${message}`,
  code,
  field: memberOf(code, message, fields),
  nearest: nearestIn(message),
  details: `${code}: ${message}`,
});
