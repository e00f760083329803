import { Type } from 'typebox';
import { OPERATOR_ROLES } from '../domain/terms.ts';
import { endpoint } from './endpoint.ts';
import { NameSent, READERS } from './operator-names.ts';
import { TimeSent, TimeText } from './scalars.ts';

/** The venue as a whole: its operators and its clock. */

const Roles = Type.Array(Type.Enum([...OPERATOR_ROLES]), {
  minItems: 1,
  description: `a list of ${OPERATOR_ROLES.join(', ')}`,
});

const OperatorShown = Type.Object({
  name: Type.String(),
  roles: Type.Array(Type.Enum([...OPERATOR_ROLES])),
  accessKey: Type.String(),
  disabled: Type.Boolean(),
});

export const getMe = endpoint({
  method: 'GET',
  path: '/operator/v1/me',
  access: 'operator',
  roles: READERS,
  summary: 'Whose credential this is, and what it may do',
  request: Type.Object({}),
  reply: Type.Object({
    /** As named in the audit log and in releases. */
    actor: Type.String(),
    roles: Type.Array(Type.Enum([...OPERATOR_ROLES])),
  }),
});

export const listOperators = endpoint({
  method: 'GET',
  path: '/operator/v1/operators',
  access: 'operator',
  roles: ['admin'],
  summary: 'Who operates the venue, with their roles, without their secrets',
  request: Type.Object({}),
  reply: Type.Array(OperatorShown),
});

export const addOperator = endpoint({
  method: 'POST',
  path: '/operator/v1/operators',
  access: 'operator',
  roles: ['admin'],
  summary: 'Add an operator; the answer is the only place its secret is ever shown',
  request: Type.Object({ name: NameSent, roles: Roles }),
  reply: Type.Object({ ...OperatorShown.properties, secret: Type.String() }),
});

export const disableOperator = endpoint({
  method: 'POST',
  path: '/operator/v1/operators/disable',
  access: 'operator',
  roles: ['admin'],
  summary: 'Disable an operator for good: from the answer on, nothing that it signs is taken',
  request: Type.Object({ name: NameSent }),
  reply: OperatorShown,
});

const Clocks = Type.Object({ engineTime: TimeText, wallTime: TimeText });

export const getClocks = endpoint({
  method: 'GET',
  path: '/operator/v1/clock',
  access: 'operator',
  roles: READERS,
  summary: "The engine's time and the machine's",
  request: Type.Object({}),
  reply: Clocks,
});

export const confirmClock = endpoint({
  method: 'POST',
  path: '/operator/v1/clock',
  access: 'operator',
  roles: ['admin'],
  summary:
    "Take the machine's time, however far ahead, as one step of the engine's; `time` says what it is, within 5 s",
  request: Type.Object({ time: TimeSent }),
  reply: Clocks,
});
