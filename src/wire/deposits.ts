import { Type } from 'typebox';
import { endpoint } from './endpoint.ts';
import { DecimalText, IdText, PAGE, TimeText, WordSent } from './scalars.ts';

export const DEPOSIT_STATUS = Type.Enum(['PENDING', 'ON HOLD', 'COMPLETED', 'FAILED']);

export const getDepositAddress = endpoint({
  method: 'GET',
  path: '/v3/deposit-addresses',
  access: 'read',
  summary: "Where to pay to: the address of the key's account on a network, the same for ever",
  request: Type.Object({ asset: WordSent, network: WordSent }),
  reply: Type.Object({ address: Type.String(), memo: Type.Optional(Type.String()) }),
});

export const getDeposits = endpoint({
  method: 'GET',
  path: '/v3/deposit',
  access: 'read',
  summary:
    "Deposits of the key's account, newest first; one that is not credited yet shows when it was seen",
  request: Type.Object({ asset: Type.Optional(WordSent), ...PAGE }),
  reply: Type.Array(
    Type.Object({
      asset: Type.String(),
      network: Type.String(),
      address: Type.String(),
      memo: Type.Optional(Type.String()),
      quantity: DecimalText,
      id: IdText,
      status: DEPOSIT_STATUS,
      txId: Type.String(),
      creditedAt: TimeText,
    }),
  ),
  limits: { page: { default: 50, max: 200 } },
});
