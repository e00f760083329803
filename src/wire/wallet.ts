import { Type } from 'typebox';
import { WALLET_TYPES, type WalletType } from '../domain/terms.ts';
import { DEPOSIT_HOLDS, HOLD_REASONS } from '../domain/wallet.ts';
import { DEPOSIT_STATUS } from './deposits.ts';
import { endpoint } from './endpoint.ts';
import { CountText, DecimalText, IdText, PAGE, SubAccSent, TimeText, WordSent } from './scalars.ts';
import { WITHDRAWAL_STATUS } from './withdrawals.ts';

/** The published interface has two names for the time; its sample shows only the first. */
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

/** If it is not known how far a network's blocks are read, `confirmations` is absent. */
const ON_CHAIN = {
  confirmations: Type.Optional(CountText),
  confirmationsNeeded: CountText,
};

export const getUnfinished = endpoint({
  method: 'GET',
  path: '/v3/wallet/unfinished',
  access: 'read',
  summary:
    "Extension: how far the unfinished deposits and withdrawals of the key's account are, why they wait, and what may still leave today",
  request: Type.Object({}),
  reply: Type.Object({
    withdrawals: Type.Array(
      Type.Object({
        id: IdText,
        status: WITHDRAWAL_STATUS,
        holds: Type.Array(Type.Enum([...HOLD_REASONS])),
        /** When `new-address` ends by itself. */
        holdUntil: Type.Optional(TimeText),
        /** Blocks since it was sent: an upper bound of its confirmations. */
        ...ON_CHAIN,
      }),
    ),
    deposits: Type.Array(
      Type.Object({
        id: IdText,
        status: DEPOSIT_STATUS,
        hold: Type.Optional(Type.Enum([...DEPOSIT_HOLDS])),
        ...ON_CHAIN,
      }),
    ),
    networks: Type.Array(
      Type.Object({
        network: Type.String(),
        confirmationsNeeded: CountText,
        needsMemo: Type.Boolean(),
      }),
    ),
    /** Index value in the native asset, for the family, in 24 hours. */
    withdrawalLimit: DecimalText,
    withdrawalLimitLeft: DecimalText,
  }),
});
