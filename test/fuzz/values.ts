import {
  ORDER_TYPES,
  RESPONSE_TYPES,
  SIDES,
  STP_MODES,
  TIMES_IN_FORCE,
  TRIGGER_TYPES,
  WALLET_TYPES,
} from '../../src/domain/terms.ts';
import { SECOND_FACTORS } from '../../src/domain/wallet.ts';
import type { Random } from '../simulation/random.ts';

/** Text that is put into a JSON document as it is: numbers that no double can represent, and invalid JSON. */
export class Raw {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Ids from earlier answers, worth using again. */
export type Known = {
  readonly orderIds: string[];
  readonly rowIds: string[];
  readonly matchIds: string[];
  readonly accountIds: string[];
};
const KEPT = 50;

export function remember(known: Known, answer: string): void {
  const take = (into: string[], pattern: RegExp): void => {
    for (const [, id] of answer.slice(0, 20_000).matchAll(pattern)) into.push(id as string);
    into.splice(0, Math.max(0, into.length - KEPT));
  };
  take(known.orderIds, /"orderId":"(\d+)"/g);
  take(known.rowIds, /"id":"(\d+)"/g);
  take(known.matchIds, /"matchId":"(\d+)"/g);
}

/** Where each market trades, so that many orders are valid. */
const MARKETS: Readonly<
  Record<string, { readonly price: number; readonly tick: number; lots: string[] }>
> = {
  'BTC-USD-SWAP-LIN': { price: 60_000, tick: 1, lots: ['0.0001', '0.01', '0.5'] },
  'ETH-USD-SWAP-LIN': { price: 3_000, tick: 0.1, lots: ['0.001', '0.05', '2'] },
  'OX-USD-SWAP-LIN': { price: 0.01, tick: 0.00001, lots: ['1', '500'] },
  'BTC-USDT': { price: 60_000, tick: 0.01, lots: ['0.00001', '0.001'] },
  'OX-USDT': { price: 0.01, tick: 0.00001, lots: ['1', '1000'] },
};

export function goodPrice(random: Random, marketCode: string): string {
  const { price, tick } = MARKETS[marketCode] ?? { price: 1, tick: 1 };
  const ticks = Math.round((price * (0.98 + 0.04 * random.next())) / tick);
  return (ticks * tick).toFixed(5);
}

const goodMarket = (random: Random): string => random.pick(Object.keys(MARKETS));

const OPTIONAL = [
  'timeInForce',
  'clientOrderId',
  'label',
  'selfTradePreventionMode',
  'triggerType',
];

/** An order that is probably accepted. */
export function goodOrder(random: Random, known: Known): Record<string, unknown> {
  const marketCode = goodMarket(random);
  const isSpot = !marketCode.endsWith('LIN');
  const orderType = random.pick(isSpot ? ['LIMIT', 'MARKET', 'STOP_LIMIT'] : ORDER_TYPES);
  const price = goodPrice(random, marketCode);
  const order: Record<string, unknown> = {
    marketCode,
    side: random.pick(SIDES),
    orderType,
    quantity: random.pick(MARKETS[marketCode]?.lots ?? ['1']),
  };
  if (orderType === 'LIMIT') order['price'] = price;
  if (orderType.startsWith('STOP')) order['stopPrice'] = price;
  if (orderType === 'STOP_LIMIT') order['limitPrice'] = price;
  for (const name of OPTIONAL) {
    if (random.chance(0.2)) order[name] = goodValue(random, name, known);
  }
  return order;
}

/** A plausible value for a member of this name. */
export function goodValue(random: Random, name: string, known: Known): unknown {
  switch (name) {
    case 'marketCode':
      return goodMarket(random);
    case 'asset':
      return random.pick(['OX', 'USDT', 'BTC', 'ETH']);
    case 'network':
      return random.pick(['Ethereum', 'Arbitrum', 'Bitcoin', 'Solana', 'XRPL']);
    case 'address':
      return random.pick([
        '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
        'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      ]);
    case 'memo':
      return random.pick(['', '7']);
    case 'externalFee':
    case 'enabled':
    case 'whitelisted':
      return random.pick([true, false, 'true', 'false']);
    case 'tfaType':
      return random.pick(SECOND_FACTORS);
    case 'id':
      return random.pick(['980000000000000001', ...known.rowIds]);
    case 'side':
      return random.pick(SIDES);
    case 'orderType':
      return random.pick([...ORDER_TYPES, 'STOP']);
    case 'timeInForce':
      return random.pick(TIMES_IN_FORCE);
    case 'selfTradePreventionMode':
      return random.pick(STP_MODES);
    case 'triggerType':
      return random.pick(TRIGGER_TYPES);
    case 'responseType':
      return random.pick(RESPONSE_TYPES);
    case 'type':
      return random.pick(WALLET_TYPES);
    case 'fromAccount':
    case 'toAccount':
      return random.pick(['main', 'desk-a', 'desk-b', ...known.accountIds]);
    case 'subAcc':
      return random.pick(['desk-a', 'desk-b', 'desk-a,desk-b', 'main', 'nobody', '']);
    case 'orderId':
      return random.pick(['1000200000001', ...known.orderIds]);
    case 'clientOrderId':
      return String(random.below(50));
    case 'label':
      return random.pick(['a', 'grid 1', 'grid 2', '"&=%', 'x'.repeat(36), random.below(50)]);
    case 'beforeId':
      return random.pick([
        '970000000000000100',
        ...known.rowIds,
        ...known.matchIds,
        ...known.orderIds,
      ]);
    case 'limit':
    case 'level':
      return String(random.between(1, 600));
    case 'timestamp':
      return Date.now() + random.between(-500, 500);
    case 'recvWindow':
      return random.pick([1, 1_000, 60_000]);
    case 'startTime':
      return Date.now() - random.below(86_400_000);
    case 'endTime':
      return Date.now() + random.below(86_400_000);
    case 'quantity':
      return random.pick(['1', '0.01', 5, 0.5]);
    case 'amount':
      return random.pick(['100', '12.5', 7]);
    case 'displayQuantity':
      return random.pick(['0.001', '1']);
    case 'price':
    case 'stopPrice':
    case 'limitPrice':
      return goodPrice(random, goodMarket(random));
    case 'family':
    case 'afterFamily':
      return random.pick(['demo-1', 'demo-2', 'acme', 'nobody']);
    case 'name':
      return random.pick(['main', 'desk-a', 'ops-1', 'ops-2', 'ops-3']);
    case 'accountId':
    case 'afterId':
      return random.pick(known.accountIds);
    case 'deposits':
    case 'withdrawals':
    case 'held':
    case 'waiting':
      return random.pick([true, false, 'true']);
    case 'fee':
    case 'daily':
    case 'automatic':
    case 'notionalCap':
      return random.pick(['0', '1', '2.5', '1000', 100_000_000]);
    case 'leverage':
      return random.pick(['2', '10', '50']);
    case 'maxQuantity':
    case 'perMarket':
    case 'inAll':
      return random.pick(['0', '10', '2000', '10000']);
    case 'height':
      return random.pick(['1', '5', '100000']);
    case 'actor':
      return random.pick(['operator:local', 'operator:fuzz-risk']);
    case 'expiresAt':
      return Date.now() + random.below(86_400_000);
    case 'time':
      return Date.now();
    case 'q':
      return random.pick(['demo', 'main', ...known.rowIds, ...known.accountIds]);
    case 'reduceOnly':
      return random.pick([true, false, 'true']);
    default:
      return 'x';
  }
}

/** A valid value with something wrong about it. */
export function nearMiss(random: Random, value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return random.pick([
    () => `${text} `,
    () => ` ${text}`,
    () => text.toLowerCase(),
    () => `${text}0`,
    () => `-${text}`,
    () => `+${text}`,
    () => `${text}.5`,
    () => `${text}e2`,
    () => `${text}\u0000`,
    () => text.slice(1),
    () => new Raw(`${text}1`),
    () => [value],
    () => ({ value }),
    () => null,
    () => '',
  ])();
}

/** Where numbers, times and their representations end. */
const BOUNDS: readonly bigint[] = [
  ...[8n, 16n, 31n, 32n, 53n, 63n, 64n, 96n].map((bits) => 2n ** bits),
  ...[9n, 12n, 13n, 15n, 16n, 18n, 19n].map((digits) => 10n ** digits),
  8_640_000_000_000_000n, // The last millisecond of a Date.
  253_402_300_800_000n, // The year 10000.
];

/** A number at a bound, or one beside it; often one that passes every check of its form. */
export function extreme(random: Random): unknown {
  const whole = `${random.pick(BOUNDS) + random.pick([-1n, 0n, 1n])}`;
  const point = random.chance(0.5) ? whole.length : random.between(0, whole.length - 1);
  const fraction = whole.slice(point);
  const text = `${whole.slice(0, point) || '0'}${fraction === '' ? '' : `.${fraction}`}`;
  const signed = random.chance(0.1) ? `-${text}` : text;
  return random.chance(0.5) ? new Raw(signed) : signed;
}

const DIGITS = '9'.repeat(400);

/** Values that nobody sends by accident. */
export function hostile(random: Random): unknown {
  return random.pick([
    () => new Raw('9223372036854775807'),
    () => new Raw('9223372036854775808'),
    () => new Raw('18446744073709551616'),
    () => new Raw('-9223372036854775809'),
    () => new Raw('1e400'),
    () => new Raw('-0'),
    () => new Raw('1e-400'),
    () => new Raw(`0.${DIGITS}`),
    () => new Raw(DIGITS),
    () => new Raw('NaN'),
    () => new Raw('0x10'),
    () => new Raw('1.'),
    () => '9007199254740993',
    () => '199999999999999999',
    () => '999999999999999999999999999999999999999',
    () => '0'.repeat(50),
    () => '٣',
    () => '1e999',
    () => '__proto__',
    () => 'constructor',
    () => "' OR 1=1 --",
    () => '\ud800',
    () => '\u0000\u0001\u001f',
    () => 'x'.repeat(5_000),
    () => Array.from({ length: random.between(0, 3_000) }, () => 1),
    () => deep(random.between(5, 60)),
    () => ({ __proto__: null, toString: 'x', valueOf: 1, length: -1 }),
    () => true,
    () => false,
    () => null,
    () => [],
    () => ({}),
    () => -1,
    () => 0,
    () => 1e21,
    () => 5e-324,
  ])();
}

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** JSON with raw text in it. */
export function jsonOf(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, of]) => `${JSON.stringify(name)}:${jsonOf(of)}`,
    );
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/** The same for a query, where everything is text. */
export const textOf = (value: unknown): string =>
  value instanceof Raw ? value.text : typeof value === 'string' ? value : jsonOf(value);
