import { Type } from 'typebox';
import { MARKET_STATES } from '../domain/terms.ts';
import { endpoint } from './endpoint.ts';
import { NameSent, ReasonSent } from './operator-names.ts';
import { DecimalText, NumberSent, WordSent } from './scalars.ts';

/** Markets, their prices and limits, as operators see and set them. */

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
  reply: Type.Object({
    family: Type.String(),
    name: Type.String(),
    marketCode: Type.String(),
    quantity: DecimalText,
  }),
});
