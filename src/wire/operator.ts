import { Type } from 'typebox';
import { ACCOUNT_TYPES, MARKET_STATES, PERMISSIONS, RESTRICTIONS } from '../domain/terms.ts';
import { endpoint } from './endpoint.ts';
import {
  DecimalText,
  IdSent,
  IdText,
  LimitSent,
  NumberSent,
  TimeSent,
  TimeText,
  WordSent,
} from './scalars.ts';

/**
 * What operators ask of a running venue, on the management listener. Signed like /v3, with the
 * credential of an operator; every act is a command in the journal that names who did it.
 */

const NameSent = Type.String({ minLength: 1, maxLength: 40, description: 'a name' });

const ACCOUNT = { family: Type.String(), name: Type.String(), accountId: IdText };
const Restrictions = Type.Array(Type.Enum([...RESTRICTIONS]), {
  description: `a list of ${RESTRICTIONS.join(', ')}`,
});
const Permissions = Type.Array(Type.Enum([...PERMISSIONS]), {
  description: `a list of ${PERMISSIONS.join(', ')}`,
});

const OperatorAccount = Type.Object({
  ...ACCOUNT,
  accountType: Type.Enum([...ACCOUNT_TYPES]),
  active: Type.Boolean(),
  /** Those of the family; they hold for all its accounts. */
  restrictions: Restrictions,
  createdAt: TimeText,
});

const OperatorKey = Type.Object({
  accessKey: Type.String(),
  ...ACCOUNT,
  permissions: Permissions,
  expiresAt: Type.Optional(TimeText),
  addresses: Type.Optional(Type.Array(Type.String())),
  revoked: Type.Boolean(),
});

const LIST_LIMITS = { page: { default: 1_000, max: 1_000 } };

export const listAccounts = endpoint({
  method: 'GET',
  path: '/operator/v1/accounts',
  access: 'operator',
  summary: 'Accounts by ascending id, with the restrictions of their families',
  request: Type.Object({
    family: Type.Optional(NameSent),
    limit: Type.Optional(LimitSent),
    afterId: Type.Optional(IdSent),
  }),
  reply: Type.Array(OperatorAccount),
  limits: LIST_LIMITS,
});

export const createAccount = endpoint({
  method: 'POST',
  path: '/operator/v1/accounts',
  access: 'operator',
  summary: 'Create a family with its main account, or a sub-account of it',
  request: Type.Object({
    family: NameSent,
    name: Type.Optional(NameSent),
    accountType: Type.Optional(
      Type.Enum([...ACCOUNT_TYPES], { description: `one of ${ACCOUNT_TYPES.join(', ')}` }),
    ),
  }),
  reply: OperatorAccount,
});

export const setRestrictions = endpoint({
  method: 'POST',
  path: '/operator/v1/restrictions',
  access: 'operator',
  summary:
    'Replace the restrictions of a family, or make one sub-account inactive or active again; an empty list lifts all',
  request: Type.Object({
    family: NameSent,
    name: Type.Optional(NameSent),
    restrictions: Restrictions,
  }),
  reply: Type.Object({
    family: Type.String(),
    name: Type.Optional(Type.String()),
    restrictions: Restrictions,
  }),
});

export const listKeys = endpoint({
  method: 'GET',
  path: '/operator/v1/keys',
  access: 'operator',
  summary: 'Keys in the order of their creation, without their secrets',
  request: Type.Object({
    family: Type.Optional(NameSent),
    name: Type.Optional(NameSent),
    limit: Type.Optional(LimitSent),
    afterKey: Type.Optional(WordSent),
  }),
  reply: Type.Array(OperatorKey),
  limits: LIST_LIMITS,
});

export const createKey = endpoint({
  method: 'POST',
  path: '/operator/v1/keys',
  access: 'operator',
  summary: 'Create a key of an account; the answer is the only place its secret is ever shown',
  request: Type.Object({
    family: NameSent,
    name: Type.Optional(NameSent),
    permissions: Permissions,
    expiresAt: Type.Optional(TimeSent),
    addresses: Type.Optional(
      Type.Array(Type.String({ maxLength: 45 }), {
        minItems: 1,
        maxItems: 100,
        description: 'a list of 1 to 100 IP addresses it may be used from',
      }),
    ),
  }),
  reply: Type.Object({ ...OperatorKey.properties, secret: Type.String() }),
});

export const revokeKey = endpoint({
  method: 'POST',
  path: '/operator/v1/keys/revoke',
  access: 'operator',
  summary: 'Revoke a key: from the answer on, nothing signed with it is taken',
  request: Type.Object({ accessKey: WordSent }),
  reply: OperatorKey,
});

export const setMarketState = endpoint({
  method: 'POST',
  path: '/operator/v1/markets/state',
  access: 'operator',
  summary: 'Open a market, leave it cancels only, or halt it; the reason is shown to everybody',
  request: Type.Object({
    marketCode: WordSent,
    state: Type.Enum([...MARKET_STATES], { description: `one of ${MARKET_STATES.join(', ')}` }),
    reason: Type.String({ minLength: 1, maxLength: 200, description: '1 to 200 characters' }),
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
  summary: 'How many orders an account may have open, in one market and in all; those it has stay',
  request: Type.Object({ perMarket: CountSent, inAll: CountSent }),
  reply: Type.Object({ perMarket: Type.String(), inAll: Type.String() }),
});

export const setBackstop = endpoint({
  method: 'POST',
  path: '/operator/v1/backstops',
  access: 'operator',
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

const Clocks = Type.Object({ engineTime: TimeText, wallTime: TimeText });

export const getClocks = endpoint({
  method: 'GET',
  path: '/operator/v1/clock',
  access: 'operator',
  summary: "The engine's time and the machine's",
  request: Type.Object({}),
  reply: Clocks,
});

export const confirmClock = endpoint({
  method: 'POST',
  path: '/operator/v1/clock',
  access: 'operator',
  summary:
    "Take the machine's time, however far ahead, as one step of the engine's; `time` says what it is, within 5 s",
  request: Type.Object({ time: TimeSent }),
  reply: Clocks,
});

/** All of them, in the order in which documents print them. */
export const OPERATOR_ENDPOINTS = [
  listAccounts,
  createAccount,
  setRestrictions,
  listKeys,
  createKey,
  revokeKey,
  setMarketState,
  setOrderLimits,
  setBackstop,
  getClocks,
  confirmClock,
] as const;
