import { Type } from 'typebox';
import { SECOND_FACTORS } from '../domain/wallet.ts';
import { endpoint } from './endpoint.ts';
import { FlagSent, TimeText } from './scalars.ts';
import { CODE_SENT, CodeSent, FactorSent, PLACE_SENT } from './sent-money.ts';

/** How users protect their withdrawals: saved addresses, whitelist mode, second factors. */

const SavedAddress = Type.Object({
  asset: Type.String(),
  network: Type.String(),
  address: Type.String(),
  memo: Type.Optional(Type.String()),
  label: Type.String(),
  whitelisted: Type.Boolean(),
});

export const saveWithdrawalAddress = endpoint({
  method: 'POST',
  path: '/v3/withdrawal-addresses',
  access: 'withdraw',
  summary:
    'Save an address, or change its label or mark, of which what is not sent stays; a new one is paid to a day later (extension)',
  request: Type.Object({
    ...PLACE_SENT,
    label: Type.Optional(Type.String({ maxLength: 40, description: 'at most 40 characters' })),
    whitelisted: Type.Optional(FlagSent),
    ...CODE_SENT,
  }),
  reply: SavedAddress,
  limits: { budget: 'money' },
});

export const removeWithdrawalAddress = endpoint({
  method: 'DELETE',
  path: '/v3/withdrawal-addresses',
  access: 'withdraw',
  summary: 'Remove a saved address (extension)',
  request: Type.Object(PLACE_SENT),
  reply: Type.Object({
    asset: Type.String(),
    network: Type.String(),
    address: Type.String(),
    memo: Type.Optional(Type.String()),
  }),
  limits: { budget: 'money' },
});

const WhitelistMode = Type.Object({ enabled: Type.Boolean() });

export const getWhitelistMode = endpoint({
  method: 'GET',
  path: '/v3/withdrawal-whitelist',
  access: 'read',
  summary: 'Whether only whitelisted addresses are paid to (extension)',
  request: Type.Object({}),
  reply: WhitelistMode,
});

export const setWhitelistMode = endpoint({
  method: 'POST',
  path: '/v3/withdrawal-whitelist',
  access: 'withdraw',
  summary: 'Turn whitelist mode on or off; turning it off needs a code (extension)',
  request: Type.Object({ enabled: FlagSent, ...CODE_SENT }),
  reply: WhitelistMode,
  limits: { budget: 'money' },
});

export const getSecondFactors = endpoint({
  method: 'GET',
  path: '/v3/second-factors',
  access: 'read',
  summary: 'Second factors that withdrawals of the family need (extension)',
  request: Type.Object({}),
  reply: Type.Array(
    Type.Object({
      tfaType: Type.Enum([...SECOND_FACTORS]),
      /** If it is being removed: from then on it is no longer needed. */
      removedAt: Type.Optional(TimeText),
    }),
  ),
});

export const beginSecondFactor = endpoint({
  method: 'POST',
  path: '/v3/second-factors',
  access: 'withdraw',
  summary:
    'First step of a new second factor: a secret for an authenticator, or the keys of a Yubikey; nothing is changed yet (extension)',
  request: Type.Object({
    tfaType: FactorSent,
    publicId: Type.Optional(
      Type.String({ pattern: '^[cbdefghijklnrtuv]{0,32}$', description: 'of a Yubikey, modhex' }),
    ),
    privateId: Type.Optional(
      Type.String({ pattern: '^[0-9a-f]{12}$', description: 'of a Yubikey, 6 bytes in hex' }),
    ),
    aesKey: Type.Optional(
      Type.String({ pattern: '^[0-9a-f]{32}$', description: 'of a Yubikey, 16 bytes in hex' }),
    ),
  }),
  reply: Type.Object({
    tfaType: Type.Enum([...SECOND_FACTORS]),
    secret: Type.Optional(Type.String({ description: 'base 32' })),
    uri: Type.Optional(Type.String({ description: 'for the camera of an authenticator' })),
    enrolment: Type.String({ description: 'to be sent back with the first code' }),
    expiresAt: TimeText,
  }),
});

export const confirmSecondFactor = endpoint({
  method: 'POST',
  path: '/v3/second-factors/confirm',
  access: 'withdraw',
  summary:
    'Second step: its first code; and a code of a factor that is enrolled already, where there is one (extension)',
  request: Type.Object({
    enrolment: Type.String({ maxLength: 2_048, description: 'as the first step gave it' }),
    code: CodeSent,
    currentTfaType: Type.Optional(FactorSent),
    currentCode: Type.Optional(CodeSent),
  }),
  reply: Type.Object({ tfaType: Type.Enum([...SECOND_FACTORS]) }),
  limits: { budget: 'money' },
});

export const removeSecondFactor = endpoint({
  method: 'DELETE',
  path: '/v3/second-factors',
  access: 'withdraw',
  summary: 'Remove a second factor with a code of it, or of another; it takes a day (extension)',
  request: Type.Object({
    tfaType: FactorSent,
    code: CodeSent,
    codeOf: Type.Optional(FactorSent),
  }),
  reply: Type.Object({ tfaType: Type.Enum([...SECOND_FACTORS]), removedAt: TimeText }),
  limits: { budget: 'money' },
});
