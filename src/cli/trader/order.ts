import { defineCommand } from 'citty';
import { CANCEL_ALL_NOTICES, type Side, TIMES_IN_FORCE } from '../../domain/terms.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import type { cancelOrders, getWorkingOrders, OrderSent, placeOrders } from '../../wire/orders.ts';
import { oneOf } from '../options.ts';
import { tableText, timeCell } from '../table.ts';
import { traderCommand } from './credential.ts';

const MARKET = { type: 'positional', required: true, description: 'code of the market' } as const;

const PLACE_ARGS = {
  market: MARKET,
  quantity: { type: 'positional', required: true, description: 'how much of the base asset' },
  price: { type: 'string', description: 'limit price; without one it is a market order' },
  stop: { type: 'string', description: 'price that triggers it; without one it counts at once' },
  'time-in-force': { type: 'string', default: 'GTC', description: TIMES_IN_FORCE.join('|') },
  'reduce-only': { type: 'boolean', default: false, description: 'only make a position smaller' },
  label: { type: 'string', description: 'your own name for the order' },
} as const;

/** The order fields from the typed arguments. */
type Typed = {
  readonly market: string;
  readonly quantity: string;
  readonly price?: string | undefined;
  readonly stop?: string | undefined;
  readonly 'time-in-force': string;
  readonly 'reduce-only': boolean;
  readonly label?: string | undefined;
};

export function orderOf(side: Side, typed: Typed): OrderSent {
  const { market: marketCode, quantity, price, stop, label } = typed;
  const isLimit = price !== undefined;
  const limit = stop === undefined ? { price } : { limitPrice: price };
  return {
    ...{ marketCode, side, quantity },
    orderType:
      stop === undefined ? (isLimit ? 'LIMIT' : 'MARKET') : isLimit ? 'STOP_LIMIT' : 'STOP_MARKET',
    timeInForce: oneOf('--time-in-force', TIMES_IN_FORCE, typed['time-in-force']),
    ...(isLimit ? limit : {}),
    ...(stop === undefined ? {} : { stopPrice: stop }),
    ...(typed['reduce-only'] ? { reduceOnly: true } : {}),
    ...(label === undefined ? {} : { label }),
  } as OrderSent;
}

type Placed = ReplyOf<typeof placeOrders>[number];

const placing = (name: string, side: Side) =>
  traderCommand({
    name,
    description: `Place an order to ${name}`,
    args: PLACE_ARGS,
    run: async (client, args) => {
      const [placed] = await client.placeOrders({
        responseType: 'FULL',
        orders: [orderOf(side, args as unknown as Typed)],
      });
      return orRefuse(placed);
    },
    text: placedText,
  });

/** A refused element of a list fails the command: scripts check its exit code. */
function orRefuse<One extends { readonly code?: string; readonly message?: string }>(
  one: One | undefined,
): One {
  if (one === undefined) throw new Error('the venue answered nothing');
  if (one.code !== undefined) throw new Error(`${one.code}: ${one.message}`);
  return one;
}

function placedText(placed: Placed): string {
  const { orderId, status, side, quantity, marketCode, price, stopPrice, avgFillPrice } = placed;
  const filled = placed.cumulativeMatchedQuantity ?? '0';
  const limit = price === undefined ? 'at market' : `at ${price}`;
  const at = stopPrice === undefined ? limit : `${limit}, stop at ${stopPrice}`;
  const fills =
    Number(filled) > 0 ? `, ${filled} filled at ${avgFillPrice ?? placed.matchPrice}` : '';
  return `order ${orderId}: ${side} ${quantity} ${marketCode} ${at}, ${status}${fills}`;
}

type Working = ReplyOf<typeof getWorkingOrders>[number];

const list = traderCommand({
  name: 'list',
  description: 'Open orders of the account',
  args: { market: { type: 'string', description: 'of one market' } },
  run: (client, { market }) =>
    client.workingOrders(market === undefined ? {} : { marketCode: market }),
  text: (all) => (all.length === 0 ? 'no open orders' : tableText(all, WORKING_COLUMNS)),
});

const WORKING_COLUMNS: Readonly<Record<string, (one: Working) => string>> = {
  order: ({ orderId }) => orderId,
  market: ({ marketCode }) => marketCode,
  side: ({ side }) => side,
  type: ({ orderType }) => orderType,
  price: ({ price }) => price ?? '-',
  stop: ({ stopPrice }) => stopPrice ?? '-',
  quantity: ({ quantity }) => quantity ?? '-',
  filled: ({ matchedQuantity }) => matchedQuantity ?? '0',
  label: ({ label }) => label ?? '-',
  'placed (UTC)': ({ createdAt }) => timeCell(createdAt),
};

const cancel = traderCommand({
  name: 'cancel',
  description: 'Cancel an open order',
  args: {
    market: MARKET,
    order: { type: 'positional', required: false, description: 'its id' },
    label: { type: 'string', description: 'its label, instead of the id' },
  },
  run: async (client, { market: marketCode, order: orderId, label }) => {
    const [canceled] = await client.cancelOrders({
      responseType: 'FULL',
      orders: [{ marketCode, ...namesOf(orderId, label) }],
    });
    return orRefuse<ReplyOf<typeof cancelOrders>[number]>(canceled);
  },
  text: ({ orderId, status }) => `order ${orderId}: ${status}`,
});

function namesOf(orderId: string | undefined, label: string | undefined) {
  if (orderId !== undefined && label === undefined) return { orderId };
  if (label !== undefined && orderId === undefined) return { label };
  throw new Error(
    `an order is named by its id or by --label, ${label === undefined ? 'there is neither' : 'not both'}`,
  );
}

const cancelAll = traderCommand({
  name: 'cancel-all',
  description: 'Cancel all open orders of the account, or of one market',
  args: { market: { type: 'string', description: 'of one market' } },
  run: (client, { market }) =>
    client.cancelAllOrders(market === undefined ? {} : { marketCode: market }),
  text: ({ notice }) => (notice === CANCEL_ALL_NOTICES.none ? 'no open orders' : 'all canceled'),
});

export const order = defineCommand({
  meta: { name: 'order', description: 'Place, list and cancel orders' },
  subCommands: {
    buy: placing('buy', 'BUY'),
    sell: placing('sell', 'SELL'),
    list,
    cancel,
    'cancel-all': cancelAll,
  },
});
