import { Type } from 'typebox';
import { MARKET_STATES } from '../domain/terms.ts';
import { endpoint } from './endpoint.ts';
import { NameSent, READERS, ReasonSent } from './operator-names.ts';
import { DecimalText, NumberSent, TimeText, WordSent } from './scalars.ts';

/** Markets, their prices and limits, as operators see and set them. */

const OperatorMarket = Type.Object({
  marketCode: Type.String(),
  type: Type.String(),
  state: Type.Enum([...MARKET_STATES]),
  reason: Type.String(),
  /** Open, with current prices. */
  operational: Type.Boolean(),
  index: DecimalText,
  mark: DecimalText,
  priceAt: Type.Optional(TimeText),
  lastTradedPrice: DecimalText,
  openInterest: DecimalText,
  tickSize: DecimalText,
  minSize: DecimalText,
  maxSize: DecimalText,
  /** Increases with every change of the terms. */
  version: Type.String(),
  tiers: Type.Array(Type.Object({ leverage: Type.String(), notionalCap: DecimalText })),
});

export const listMarkets = endpoint({
  method: 'GET',
  path: '/operator/v1/markets',
  access: 'operator',
  roles: READERS,
  summary: 'Every market with its state, prices and terms',
  request: Type.Object({}),
  reply: Type.Array(OperatorMarket),
});

export const setMarketState = endpoint({
  method: 'POST',
  path: '/operator/v1/markets/state',
  access: 'operator',
  roles: ['risk'],
  summary: 'Open a market, leave it cancels only, or halt it; the reason is shown to everybody',
  request: Type.Object({
    marketCode: WordSent,
    state: Type.Enum([...MARKET_STATES], { description: `one of ${MARKET_STATES.join(', ')}` }),
    reason: ReasonSent,
  }),
  reply: Type.Object({
    marketCode: Type.String(),
    state: Type.Enum([...MARKET_STATES]),
    reason: Type.String(),
  }),
});

const TierSent = Type.Object({
  leverage: Type.String({ pattern: '^\\d{1,4}$', description: 'a whole number from 1' }),
  notionalCap: NumberSent,
});

export const setTiers = endpoint({
  method: 'POST',
  path: '/operator/v1/markets/tiers',
  access: 'operator',
  roles: ['risk'],
  summary:
    'New leverage tiers of a perpetual that is HALTED and has neither orders nor positions; caps rise and are in native, leverage falls',
  request: Type.Object({
    marketCode: WordSent,
    tiers: Type.Array(TierSent, { minItems: 1, maxItems: 32, description: 'a list of 1 to 32' }),
    reason: ReasonSent,
  }),
  reply: OperatorMarket,
});

export const setTick = endpoint({
  method: 'POST',
  path: '/operator/v1/markets/tick',
  access: 'operator',
  roles: ['risk'],
  summary:
    'Another tick of a market that is HALTED and has neither orders nor positions; tick x lot must be a whole number of the smallest part of what settles a match. Trades, orders and candles keep the prices they had; the last price moves to the nearest tick',
  request: Type.Object({ marketCode: WordSent, tickSize: NumberSent, reason: ReasonSent }),
  reply: OperatorMarket,
});

export const cancelMarketOrders = endpoint({
  method: 'POST',
  path: '/operator/v1/markets/cancel',
  access: 'operator',
  roles: ['risk'],
  summary:
    'Cancel orders of a market, in any state, at most 1,000 a request: `left` while more are there',
  request: Type.Object({ marketCode: WordSent, reason: ReasonSent }),
  reply: Type.Object({
    marketCode: Type.String(),
    canceled: Type.String(),
    left: Type.Boolean(),
  }),
});

const Price = Type.Object({
  asset: Type.String(),
  price: DecimalText,
  /** A price was accepted since genesis. */
  quoted: Type.Boolean(),
});

const SourcedPrice = Type.Object({
  ...Price.properties,
  /** What each source answered last, and whether it counts: fresh, in range, from a source whose own time moves. */
  sources: Type.Array(
    Type.Object({
      source: Type.String(),
      price: Type.String(),
      at: TimeText,
      counts: Type.Boolean(),
    }),
  ),
});

export const listPrices = endpoint({
  method: 'GET',
  path: '/operator/v1/prices',
  access: 'operator',
  roles: READERS,
  summary: 'The index price of every asset, in USD, and what its sources said last',
  request: Type.Object({}),
  reply: Type.Array(SourcedPrice),
});

export const setPrice = endpoint({
  method: 'POST',
  path: '/operator/v1/prices',
  access: 'operator',
  roles: ['risk'],
  summary:
    'Set an index price, above 0 and at most 10^9 USD: by any factor, and at once. The next round of the sources comes on top of it; the source `start` keeps it',
  request: Type.Object({ asset: WordSent, price: NumberSent, reason: ReasonSent }),
  reply: Price,
});

export const getLimits = endpoint({
  method: 'GET',
  path: '/operator/v1/limits',
  access: 'operator',
  roles: READERS,
  summary:
    'Open orders an account may have; what a family may withdraw in 24 hours and at once, in native',
  request: Type.Object({}),
  reply: Type.Object({
    perMarket: Type.String(),
    inAll: Type.String(),
    daily: DecimalText,
    automatic: DecimalText,
  }),
});

const CountSent = Type.String({ pattern: '^\\d{1,9}$', description: 'a whole number' });

export const setOrderLimits = endpoint({
  method: 'POST',
  path: '/operator/v1/limits/orders',
  access: 'operator',
  roles: ['risk'],
  summary: 'How many orders an account may have open, in one market and in all; those it has stay',
  request: Type.Object({ perMarket: CountSent, inAll: CountSent }),
  reply: Type.Object({ perMarket: Type.String(), inAll: Type.String() }),
});

const Backstop = Type.Object({
  family: Type.String(),
  name: Type.String(),
  marketCode: Type.String(),
  quantity: DecimalText,
});

export const listBackstops = endpoint({
  method: 'GET',
  path: '/operator/v1/backstops',
  access: 'operator',
  roles: READERS,
  summary: 'Who takes over positions of failing accounts, and up to which size',
  request: Type.Object({}),
  reply: Type.Array(Backstop),
});

export const setBackstop = endpoint({
  method: 'POST',
  path: '/operator/v1/backstops',
  access: 'operator',
  roles: ['risk'],
  summary:
    'Name an account that takes over positions of failing ones in a perpetual market, up to a position of this size; 0 ends it',
  request: Type.Object({
    family: NameSent,
    name: Type.Optional(NameSent),
    marketCode: WordSent,
    quantity: NumberSent,
  }),
  reply: Backstop,
});
