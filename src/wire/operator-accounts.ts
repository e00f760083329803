import { Type } from 'typebox';
import { ACCOUNT_TYPES, PERMISSIONS, RESTRICTIONS } from '../domain/terms.ts';
import { SECOND_FACTORS } from '../domain/wallet.ts';
import { getAccount } from './account.ts';
import { endpoint } from './endpoint.ts';
import { LIST_LIMITS, NameSent, READERS, ReasonSent } from './operator-names.ts';
import { IdSent, IdText, LimitSent, TimeSent, TimeText, WordSent } from './scalars.ts';

/** Families, their accounts and keys, as operators see and manage them. */

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
  /** Those of the family; they apply to all its accounts. */
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

export const listFamilies = endpoint({
  method: 'GET',
  path: '/operator/v1/families',
  access: 'operator',
  roles: READERS,
  summary: 'Families in the order of their creation, with restrictions and what guards their money',
  request: Type.Object({
    family: Type.Optional(NameSent),
    limit: Type.Optional(LimitSent),
    afterFamily: Type.Optional(NameSent),
  }),
  reply: Type.Array(
    Type.Object({
      family: Type.String(),
      restrictions: Restrictions,
      accounts: Type.Array(Type.Object({ accountId: IdText, name: Type.String() })),
      feeTier: Type.String(),
      whitelistOnly: Type.Boolean(),
      secondFactors: Type.Array(Type.String()),
      /** After wrong codes, or a factor that operators removed: no withdrawals until then. */
      blockedUntil: Type.Optional(TimeText),
      vanishedDeposits: Type.String(),
      openWithdrawals: Type.String(),
    }),
  ),
  limits: LIST_LIMITS,
});

export const getAccountOf = endpoint({
  method: 'GET',
  path: '/operator/v1/account',
  access: 'operator',
  roles: READERS,
  summary: 'One account, active or not: balances, positions and margin as its own keys see them',
  request: Type.Object({ accountId: IdSent }),
  reply: Type.Object({
    ...OperatorAccount.properties,
    ...getAccount.reply.items.properties,
    openOrders: Type.String(),
  }),
});

export const listAccounts = endpoint({
  method: 'GET',
  path: '/operator/v1/accounts',
  access: 'operator',
  roles: READERS,
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
  roles: ['support'],
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
  roles: ['support', 'risk'],
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

export const inviteUser = endpoint({
  method: 'POST',
  path: '/operator/v1/invitations',
  access: 'operator',
  roles: ['support'],
  summary:
    'Let the user of a family set a password, the first or one in place of a lost one; what was sent before no longer counts. Tell the user the token: it is shown once, and not in a repeated answer. If the family has a password or a key that may withdraw, and no second factor, only an `admin` may',
  request: Type.Object({ family: NameSent }),
  reply: Type.Object({
    family: Type.String(),
    token: Type.Optional(Type.String()),
    expiresAt: TimeText,
  }),
});

export const resetFactor = endpoint({
  method: 'POST',
  path: '/operator/v1/factors/reset',
  access: 'operator',
  roles: ['support', 'treasury'],
  summary:
    "Remove a user's second factor that was lost; takes two operators within a day. From then on the family withdraws nothing for 24 hours; a factor that is used meanwhile was not lost, and both must ask anew",
  request: Type.Object({
    family: NameSent,
    factor: Type.Enum([...SECOND_FACTORS], { description: `one of ${SECOND_FACTORS.join(', ')}` }),
    reason: ReasonSent,
  }),
  reply: Type.Object({
    family: Type.String(),
    factor: Type.String(),
    /** False if another operator must do the same before it takes effect. */
    done: Type.Boolean(),
    /** No withdrawals before this time. */
    waitUntil: Type.Optional(TimeText),
  }),
});

export const listKeys = endpoint({
  method: 'GET',
  path: '/operator/v1/keys',
  access: 'operator',
  roles: READERS,
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
  roles: ['support'],
  summary:
    'Create a key of an account; the answer is the only place its secret is ever shown. One that may withdraw takes an admin',
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
  roles: ['support', 'risk'],
  summary: 'Revoke a key: from the answer on, nothing signed with it is taken',
  request: Type.Object({ accessKey: WordSent }),
  reply: OperatorKey,
});
