import type { ByOperator } from '../../domain/actors.ts';
import { assert } from '../../domain/assert.ts';
import type { Event, Outcome } from '../../domain/events.ts';
import type { Refusal } from '../../domain/rejections.ts';
import type { Engine } from '../../engine/engine.ts';
import type { OperatorCaller } from '../http/authenticate-operator.ts';
import { refusalOf } from '../request/outcome.ts';

/** What the routes of operators share. */

export const byOperator = ({ actor, once }: OperatorCaller): ByOperator => ({
  actor,
  ...(once === undefined ? {} : { once }),
});

/** The directory shows what has been applied; responses wait until that is on disk. */
export const untilDurable = async (engine: Engine): Promise<void> =>
  void (await engine.view('clock', {}));

/** The event of the outcome that has this kind, or the refusal. */
export function eventOf<Kind extends Event['kind']>(
  outcome: Outcome,
  kind: Kind,
): Extract<Event, { readonly kind: Kind }> | Refusal {
  const refusal = refusalOf(outcome);
  if (refusal !== undefined) return refusal;
  const found = outcome.events.find((event) => event.kind === kind);
  assert(found !== undefined, 'what is not refused is done');
  return found as Extract<Event, { readonly kind: Kind }>;
}
