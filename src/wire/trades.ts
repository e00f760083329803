import { Type } from 'typebox';
import { MATCH_TYPES, SIDES } from '../domain/terms.ts';
import { endpoint } from './endpoint.ts';
import { TEXT_SHAPES } from './order-texts.ts';
import { DecimalText, ID_PATTERN, IdText, TimeText, WINDOW, WordSent } from './scalars.ts';

export const Trade = Type.Object({
  /** Extension: unique to this row. A self-trade has two rows of one match. */
  id: IdText,
  orderId: IdText,
  clientOrderId: IdText,
  ...TEXT_SHAPES,
  matchId: IdText,
  marketCode: Type.String(),
  side: Type.Enum([...SIDES]),
  matchedQuantity: DecimalText,
  matchPrice: DecimalText,
  /** Price x quantity: the counter asset on spot, the native asset (x 100) on a perpetual. */
  total: DecimalText,
  orderMatchType: Type.Enum([...MATCH_TYPES]),
  feeAsset: Type.String(),
  fee: DecimalText,
  source: Type.String(),
  matchedAt: TimeText,
});

export const getTrades = endpoint({
  method: 'GET',
  path: '/v3/trades',
  access: 'read',
  summary: "The trades of the key's account, newest first: its side of each match",
  request: Type.Object({
    marketCode: Type.Optional(WordSent),
    ...WINDOW,
    beforeId: Type.Optional(
      Type.String({
        pattern: ID_PATTERN,
        description:
          'the id of the last row seen, and what came before it follows; or a matchId, ' +
          'which stands for both rows of an account that traded with itself (extension)',
      }),
    ),
  }),
  reply: Type.Array(Trade),
  limits: { page: { default: 200, max: 500 } },
});
