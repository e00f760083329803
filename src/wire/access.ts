import { Type } from 'typebox';
import { ACCOUNT_TYPES, PERMISSIONS } from '../domain/terms.ts';
import { endpoint } from './endpoint.ts';
import { FlagSent, IdSent, IdText, TimeSent, TimeText, WordSent } from './scalars.ts';
import { CODE_SENT } from './sent-money.ts';

/** Signing in, sessions, and what users manage themselves: keys and sub-accounts. */

const NameSent = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9 ._-]{0,39}$',
  description: '1 to 40 letters, digits, spaces, dots, dashes',
});
/** Long enough for passphrases, short enough to be hashed in one go. */
const PasswordSent = Type.String({ minLength: 1, maxLength: 256, description: 'a password' });
const NewPasswordSent = Type.String({
  minLength: 10,
  maxLength: 256,
  description: 'a password of 10 to 256 characters',
});
const Permissions = Type.Array(Type.Enum([...PERMISSIONS]), {
  minItems: 1,
  description: `a list of ${PERMISSIONS.join(', ')}`,
});

const OwnKey = Type.Object({
  accessKey: Type.String(),
  accountId: IdText,
  name: Type.String({ description: 'the name of its account' }),
  label: Type.String(),
  permissions: Permissions,
  addresses: Type.Optional(Type.Array(Type.String())),
  createdAt: TimeText,
  expiresAt: Type.Optional(TimeText),
  withdrawsFrom: Type.Optional(TimeText),
  lastUsedAt: Type.Optional(TimeText),
});
const Session = Type.Object({
  accessKey: Type.String(),
  accountId: IdText,
  name: Type.String({ description: 'the name of its account' }),
  createdAt: TimeText,
  expiresAt: TimeText,
  lastUsedAt: Type.Optional(TimeText),
  current: Type.Boolean({ description: 'whether it is the one that signed this request' }),
});
/** The key pair of a new session. It signs requests like an API key, and expires. */
export const NewSession = Type.Object({
  accessKey: Type.String(),
  secret: Type.String(),
  accountId: IdText,
  name: Type.String(),
  permissions: Permissions,
  expiresAt: TimeText,
});
const SubAccount = Type.Object({ accountId: IdText, name: Type.String(), active: Type.Boolean() });

/** Signing in is slow by design, so it has its own limits. */
const SIGN_IN_LIMITS = { bodyBytes: 2_048, budget: 'money' } as const;

export const signIn = endpoint({
  method: 'POST',
  path: '/v3/session',
  access: 'public',
  summary:
    'Sign in with a password and, where one is enrolled, a second factor; gives a key that ends by itself',
  request: Type.Object({
    name: NameSent,
    password: PasswordSent,
    account: Type.Optional(NameSent),
    ...CODE_SENT,
  }),
  reply: NewSession,
  limits: SIGN_IN_LIMITS,
});

export const acceptInvitation = endpoint({
  method: 'POST',
  path: '/v3/invitation',
  access: 'public',
  summary: 'Set a password with the token of an invitation',
  request: Type.Object({ token: WordSent, password: NewPasswordSent, ...CODE_SENT }),
  reply: Type.Object({ name: Type.String() }),
  limits: SIGN_IN_LIMITS,
});

export const signUp = endpoint({
  method: 'POST',
  path: '/v3/registration',
  access: 'public',
  summary: "Open an account of one's own, where the venue lets anyone (openRegistration)",
  request: Type.Object({ name: NameSent, password: NewPasswordSent }),
  reply: Type.Object({ name: Type.String(), accountId: IdText }),
  limits: SIGN_IN_LIMITS,
});

export const openSession = endpoint({
  method: 'POST',
  path: '/v3/session/account',
  access: 'withdraw',
  summary: 'A session for another account of the family; ends no later than the one that asks',
  request: Type.Object({ account: NameSent }),
  reply: NewSession,
});

export const getSessions = endpoint({
  method: 'GET',
  path: '/v3/sessions',
  access: 'parent-read',
  summary: 'Open sessions of the family, newest first',
  request: Type.Object({}),
  reply: Type.Array(Session),
});

export const signOut = endpoint({
  method: 'DELETE',
  path: '/v3/session',
  access: 'trade',
  summary: 'End the session that signs, or another of the family, and those that it has opened',
  request: Type.Object({ accessKey: Type.Optional(WordSent) }),
  reply: Type.Object({ accessKey: Type.String() }),
});

export const setPassword = endpoint({
  method: 'POST',
  path: '/v3/password',
  access: 'withdraw',
  summary: 'Change the password; every other session ends',
  request: Type.Object({ password: PasswordSent, newPassword: NewPasswordSent, ...CODE_SENT }),
  reply: Type.Object({ name: Type.String() }),
  limits: SIGN_IN_LIMITS,
});

export const getApiKeys = endpoint({
  method: 'GET',
  path: '/v3/api-keys',
  access: 'parent-read',
  summary:
    'Live keys of the family, without their secrets, newest first; last use since the venue started',
  request: Type.Object({}),
  reply: Type.Array(OwnKey),
});

export const createApiKey = endpoint({
  method: 'POST',
  path: '/v3/api-keys',
  access: 'withdraw',
  summary:
    'Create a key; the answer is the only place its secret is ever shown. One that may withdraw needs a code, and does so a day later. At most 120 keys and sessions of a family in ten minutes',
  request: Type.Object({
    account: Type.Optional(NameSent),
    label: Type.Optional(Type.String({ maxLength: 40, description: 'at most 40 characters' })),
    permissions: Permissions,
    expiresAt: Type.Optional(TimeSent),
    addresses: Type.Optional(
      Type.Array(Type.String({ maxLength: 45 }), {
        minItems: 1,
        maxItems: 50,
        description: 'a list of 1 to 50 IP addresses it may be used from',
      }),
    ),
    ...CODE_SENT,
  }),
  reply: Type.Object({ ...OwnKey.properties, secret: Type.String() }),
});

export const revokeApiKey = endpoint({
  method: 'DELETE',
  path: '/v3/api-keys',
  access: 'trade',
  summary: 'Revoke a key of the family; without the permission to withdraw, itself only',
  request: Type.Object({ accessKey: WordSent }),
  reply: Type.Object({ accessKey: Type.String() }),
});

export const createSubAccount = endpoint({
  method: 'POST',
  path: '/v3/sub-accounts',
  access: 'withdraw',
  summary: 'Create a sub-account',
  request: Type.Object({
    name: NameSent,
    accountType: Type.Optional(
      Type.Enum([...ACCOUNT_TYPES], { description: `one of ${ACCOUNT_TYPES.join(', ')}` }),
    ),
  }),
  reply: SubAccount,
});

export const getSubAccounts = endpoint({
  method: 'GET',
  path: '/v3/sub-accounts',
  access: 'parent-read',
  summary: 'All sub-accounts of the family, frozen ones too',
  request: Type.Object({}),
  reply: Type.Array(SubAccount),
});

export const renameSubAccount = endpoint({
  method: 'POST',
  path: '/v3/sub-accounts/rename',
  access: 'withdraw',
  summary: 'Give a sub-account another name',
  request: Type.Object({ accountId: IdSent, name: NameSent }),
  reply: SubAccount,
});

export const freezeSubAccount = endpoint({
  method: 'POST',
  path: '/v3/sub-accounts/freeze',
  access: 'withdraw',
  summary: 'Make a sub-account inactive, or active again',
  request: Type.Object({ accountId: IdSent, frozen: FlagSent }),
  reply: SubAccount,
});
