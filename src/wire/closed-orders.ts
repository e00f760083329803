import { Type } from 'typebox';
import { ORDER_STATES } from '../domain/terms.ts';
import { endpoint } from './endpoint.ts';
import { Order } from './orders.ts';
import { IdText, PAGE, TimeText, WordSent } from './scalars.ts';

const ClosedOrder = Type.Object({
  /** The id of this row: `beforeId` of the next page. */
  id: IdText,
  ...Order.properties,
  /** How it ended, with the values of place and cancel results. */
  closeStatus: Type.Enum([...ORDER_STATES]),
  /** The rule that closed it, if one did. */
  code: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  closedAt: TimeText,
});

export const getClosedOrders = endpoint({
  method: 'GET',
  path: '/v3/orders',
  access: 'read',
  summary: "Extension: closed orders of the key's account by when they closed, newest first",
  request: Type.Object({ marketCode: Type.Optional(WordSent), ...PAGE }),
  reply: Type.Array(ClosedOrder),
  limits: { page: { default: 50, max: 200 } },
});
