import type { ByOperator } from '../../domain/actors.ts';
import type { OperatorCaller } from '../http/authenticate-operator.ts';

export { eventOf } from '../request/outcome.ts';

/** Shared by the operator routes. */

export const byOperator = ({ actor, once }: OperatorCaller): ByOperator => ({
  actor,
  ...(once === undefined ? {} : { once }),
});
