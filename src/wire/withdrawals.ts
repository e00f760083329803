import { Type } from 'typebox';
import { endpoint } from './endpoint.ts';
import {
  DecimalText,
  FlagSent,
  FlagWordSent,
  IdSent,
  IdText,
  NumberSent,
  PAGE,
  TimeText,
  WordSent,
} from './scalars.ts';
import { CODE_SENT, PLACE_SENT } from './sent-money.ts';

const PLACE = {
  asset: Type.String(),
  network: Type.String(),
  address: Type.String(),
  memo: Type.Optional(Type.String()),
};
export const WITHDRAWAL_STATUS = Type.Enum([
  'COMPLETED',
  'PROCESSING',
  'IN SWEEPING',
  'PENDING',
  'ON HOLD',
  'CANCELED',
  'FAILED',
]);
/** What a token itself burns with every withdrawal; absent if none. */
const BURN_FEE = { burnFee: Type.Optional(DecimalText) };
const WITHDRAWAL_HISTORY = Type.Object({
  id: IdText,
  ...PLACE,
  quantity: DecimalText,
  fee: DecimalText,
  ...BURN_FEE,
  status: WITHDRAWAL_STATUS,
  txId: Type.Optional(Type.String()),
  requestedAt: TimeText,
  completedAt: Type.Optional(TimeText),
});

/** The amount and its destination. */
const PAYMENT_SENT = { ...PLACE_SENT, quantity: NumberSent };

export const getWithdrawalAddresses = endpoint({
  method: 'GET',
  path: '/v3/withdrawal-addresses',
  access: 'read',
  summary: 'Saved addresses of the family, with their labels and whether they are whitelisted',
  request: Type.Object({ asset: Type.Optional(WordSent), network: Type.Optional(WordSent) }),
  reply: Type.Array(Type.Object({ ...PLACE, label: Type.String(), whitelisted: Type.Boolean() })),
});

export const getWithdrawals = endpoint({
  method: 'GET',
  path: '/v3/withdrawal',
  access: 'read',
  summary:
    "Withdrawals of the key's account, newest first; the quantity is what the account was debited",
  request: Type.Object({
    id: Type.Optional(IdSent),
    asset: Type.Optional(WordSent),
    ...PAGE,
  }),
  reply: Type.Array(WITHDRAWAL_HISTORY),
  limits: { page: { default: 50, max: 200 } },
});

export const requestWithdrawal = endpoint({
  method: 'POST',
  path: '/v3/withdrawal',
  access: 'withdraw',
  summary: 'Reserves what leaves; it is sent when nothing holds it back',
  request: Type.Object({
    ...PAYMENT_SENT,
    externalFee: FlagSent,
    ...CODE_SENT,
  }),
  reply: Type.Object({
    id: IdText,
    ...PLACE,
    quantity: DecimalText,
    externalFee: Type.Boolean(),
    fee: DecimalText,
    ...BURN_FEE,
    status: WITHDRAWAL_STATUS,
    requestedAt: TimeText,
  }),
  limits: { budget: 'money' },
});

export const cancelWithdrawal = endpoint({
  method: 'DELETE',
  path: '/v3/withdrawal',
  access: 'withdraw',
  summary:
    'Calls a withdrawal back that has not been sent: all of it is available again (extension)',
  request: Type.Object({ id: IdSent }),
  reply: WITHDRAWAL_HISTORY,
  limits: { budget: 'money' },
});

export const getWithdrawalFee = endpoint({
  method: 'GET',
  path: '/v3/withdrawal-fee',
  aliases: ['/v3/withdrawal-fees'],
  access: 'read',
  summary: 'What a withdrawal would cost now; for a minute it costs no more',
  request: Type.Object({
    ...PAYMENT_SENT,
    externalFee: Type.Optional(FlagWordSent),
  }),
  reply: Type.Object({
    ...PLACE,
    quantity: DecimalText,
    externalFee: Type.Boolean(),
    estimatedFee: DecimalText,
    ...BURN_FEE,
  }),
});
