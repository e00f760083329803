import { Type } from 'typebox';
import { endpoint } from './endpoint.ts';
import { TimeText } from './scalars.ts';

/** An extension: a client that is refused for its timestamp can compare clocks. */
export const getTime = endpoint({
  method: 'GET',
  path: '/v3/time',
  access: 'public',
  summary: "The engine's clock",
  request: Type.Object({}),
  reply: Type.Object({
    timestamp: TimeText,
    iso: Type.String({ description: 'the same in the form of the Timestamp header' }),
  }),
});
