import type { ByOperator } from '../../domain/actors.ts';
import type { Engine } from '../../engine/engine.ts';
import type { OperatorCaller } from '../http/authenticate-operator.ts';

export { eventOf } from '../request/outcome.ts';

/** What the routes of operators share. */

export const byOperator = ({ actor, once }: OperatorCaller): ByOperator => ({
  actor,
  ...(once === undefined ? {} : { once }),
});

/** The directory shows what has been applied; responses wait until that is on disk. */
export const untilDurable = async (engine: Engine): Promise<void> =>
  void (await engine.view('clock', {}));
