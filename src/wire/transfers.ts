import { Type } from 'typebox';
import { TRANSFER_STATUSES } from '../domain/terms.ts';
import { endpoint } from './endpoint.ts';
import { DecimalText, IdText, NumberSent, PAGE, TimeText, WordSent } from './scalars.ts';

const MOVED = {
  asset: Type.String(),
  quantity: DecimalText,
  fromAccount: IdText,
  toAccount: IdText,
};

export const requestTransfer = endpoint({
  method: 'POST',
  path: '/v3/transfer',
  access: 'parent-trade',
  summary: 'Moves what is available from one account of the family to another, at once',
  request: Type.Object({
    asset: WordSent,
    quantity: NumberSent,
    /** An id, or the exact name of an account of the caller's family. */
    fromAccount: WordSent,
    toAccount: WordSent,
  }),
  reply: Type.Object({ ...MOVED, transferredAt: TimeText }),
  limits: { budget: 'money' },
});

export const getTransfers = endpoint({
  method: 'GET',
  path: '/v3/transfer',
  access: 'read',
  summary: 'Transfers, newest first: all of the family for a parent key, its own for any other',
  request: Type.Object({ asset: Type.Optional(WordSent), ...PAGE }),
  reply: Type.Array(
    Type.Object({
      ...MOVED,
      id: IdText,
      status: Type.Enum([...TRANSFER_STATUSES]),
      transferredAt: TimeText,
    }),
  ),
  limits: { page: { default: 50, max: 200 } },
});
