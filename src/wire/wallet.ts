import { Type } from 'typebox';
import { WALLET_TYPES, type WalletType } from '../domain/terms.ts';
import { endpoint } from './endpoint.ts';
import { DecimalText, IdText, PAGE, SubAccSent, TimeText, WordSent } from './scalars.ts';

/** The published interface gives the time two names; its sample shows only the first. */
const WalletEntry = Type.Object({
  id: IdText,
  asset: Type.String(),
  type: Type.Enum([...WALLET_TYPES]),
  amount: DecimalText,
  createdAt: TimeText,
  'createdAt/lastUpdatedAt': TimeText,
});

export const getWallet = endpoint({
  method: 'GET',
  path: '/v3/wallet',
  access: 'read',
  summary: 'Wallet history per account, newest first; amounts are negative where the balance fell',
  request: Type.Object({
    subAcc: Type.Optional(SubAccSent),
    type: Type.Optional(Type.Unsafe<WalletType>(WordSent)),
    ...PAGE,
  }),
  reply: Type.Array(
    Type.Object({
      accountId: IdText,
      name: Type.String(),
      walletHistory: Type.Array(WalletEntry),
    }),
  ),
  limits: { page: { default: 200, max: 500 }, subAccountsMax: 5 },
});
