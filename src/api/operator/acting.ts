import type { ByOperator } from '../../domain/actors.ts';
import type { OperatorCaller } from '../http/authenticate-operator.ts';

export { eventOf } from '../request/outcome.ts';

/** What the routes of operators share. */

export const byOperator = ({ actor, once }: OperatorCaller): ByOperator => ({
  actor,
  ...(once === undefined ? {} : { once }),
});
