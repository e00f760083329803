import { Type } from 'typebox';
import { ORDER_STATES, SIDES, type Side } from '../domain/terms.ts';
import { Account } from './account.ts';
import { endpoint } from './endpoint.ts';
import { ORDER_ASKED } from './orders.ts';
import { DecimalText, WordSent } from './scalars.ts';

/** Estimates. Both are POST only because they have bodies; they change nothing. */

export type PriceSent = { readonly asset: string; readonly price: string };
export type ChangeSent = { readonly asset: string; readonly quantity: string };
export type HypotheticalSent = {
  readonly marketCode: string;
  readonly side: Side;
  readonly quantity: string;
  readonly price: string;
  readonly reduceOnly?: boolean;
};

/** The maximum number of hypothetical prices, fills and orders of one estimate. */
const SUPPOSED_MAX = 50;

/** Described, not checked, by the schema: elements are read like those of order requests. */
const supposed = <Sent>(what: string, properties: Readonly<Record<string, string>>) =>
  Type.Optional(
    Type.Array(
      Type.Unsafe<Sent>({
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, description]) => [name, { description }]),
        ),
      } as object),
      { maxItems: SUPPOSED_MAX, description: `a list of at most ${SUPPOSED_MAX} ${what}` },
    ),
  );

const HYPOTHETICAL = {
  marketCode: 'required',
  side: SIDES.join(', '),
  quantity: 'a multiple of the lot',
  price: 'a multiple of the tick',
};

export const estimateMargin = endpoint({
  method: 'POST',
  path: '/v3/margin/estimate',
  access: 'read',
  summary:
    "Extension: the key's account, or with a parent key another of the family, after supposed prices, changes of balances, fills and open orders",
  request: Type.Object({
    account: Type.Optional(WordSent),
    prices: supposed<PriceSent>('index prices', { asset: 'required', price: 'in USD' }),
    balances: supposed<ChangeSent>('changes of balances', {
      asset: 'required',
      quantity: 'added, or with a minus taken away',
    }),
    fills: supposed<HypotheticalSent>('fills, as a taker', HYPOTHETICAL),
    orders: supposed<HypotheticalSent>('open orders', {
      ...HYPOTHETICAL,
      reduceOnly: 'perpetuals: counts in no margin',
    }),
  }),
  reply: Account,
  limits: { bodyBytes: 64 * 1_024, budget: 'estimates' },
});

export const previewOrder = endpoint({
  method: 'POST',
  path: '/v3/orders/preview',
  access: 'read',
  summary:
    'Extension: what placing an order would do now, and the account after it; not what follows from it, such as stops that fire. A stop is shown as it waits, although its own trigger may be reached already',
  request: Type.Object(ORDER_ASKED),
  reply: Type.Object({
    /** The order's state after meeting the book; absent if it would be refused. */
    status: Type.Optional(Type.Enum([...ORDER_STATES])),
    /** By price, best first. */
    fills: Type.Array(Type.Object({ price: DecimalText, quantity: DecimalText })),
    matches: Type.String(),
    filledQuantity: DecimalText,
    remainQuantity: DecimalText,
    avgFillPrice: Type.Optional(DecimalText),
    fees: Type.Array(Type.Record(Type.String(), DecimalText)),
    makerFeeRate: DecimalText,
    takerFeeRate: DecimalText,
    collateral: DecimalText,
    portfolioVarMargin: DecimalText,
    maintenanceMargin: DecimalText,
    marginRatio: DecimalText,
    /** If it would leave a position in this market. */
    estLiquidationPrice: Type.Optional(DecimalText),
    /** The limit on the work of one request would cut it here: the rest would be cancelled. */
    cut: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
    /** Why it would be refused, if so: nothing would happen, and the figures are the current ones. */
    refusal: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
  }),
  limits: { budget: 'estimates' },
});
