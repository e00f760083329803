import type { SignedBy } from '../../domain/actors.ts';
import { assert } from '../../domain/assert.ts';
import type { Command } from '../../domain/commands.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Caller } from '../http/authenticate.ts';
import type { HandlerResult } from '../http/mount.ts';
import { JsonText } from '../http/printed-body.ts';
import { type OrderResult, outcomeForResults, refusalOf, resultsOf } from './outcome.ts';

/** A list of elements, each parsed separately, as one command; and the results in request order. */
export type Batch<Read extends object> = {
  readonly read: readonly (Read | Refusal)[];
  readonly command: (orders: readonly Read[]) => Command;
  /** The result at position `at` of the request, as JSON. */
  readonly print: (result: OrderResult, at: number, timeMs: number) => string;
};

/**
 * An element that cannot be parsed is left out of the command and refused in its place. If none is left there
 * is no command. If the command is refused as a whole, so is the request.
 */
export async function submitElements<Read extends object>(
  engine: Engine,
  { read, command, print }: Batch<Read>,
): Promise<HandlerResult<never>> {
  const orders = read.filter((one): one is Read => !isRefusal(one));
  if (orders.length === 0) {
    const timeMs = engine.nowMs();
    return { data: listOf(read.map((one, at) => print(one as Refusal, at, timeMs))) };
  }
  const submitted = await engine.submit(command(orders));
  const { isRepeat } = submitted;
  const outcome = outcomeForResults(submitted);
  const refusal = refusalOf(outcome);
  if (refusal !== undefined) return { ...refusal, isRepeat };
  const results = resultsOf(outcome);
  // Markets have changed since, and with them which elements can be parsed: no result may get to another order.
  if (results.length !== orders.length) return { ...OTHER_ELEMENTS, isRepeat };
  let element = 0;
  const printed = read.map((one, at) => {
    const result = isRefusal(one) ? one : results[element++];
    assert(result !== undefined, 'every element of a command is answered');
    return print(result, at, outcome.timeMs);
  });
  return { data: listOf(printed), isRepeat };
}

const OTHER_ELEMENTS = refuse(
  'ANSWERED_BEFORE',
  'markets have changed since then; list the orders to see what it has done',
);

const listOf = (elements: readonly string[]): JsonText => new JsonText(`[${elements.join(',')}]`);

/** A signed POST takes effect once; a DELETE may be repeated, as clients do within a second. */
export const signedOnce = ({ key, fingerprint, signedAtMs, expiresAtMs }: Caller): SignedBy => ({
  key,
  fingerprint,
  signedAtMs,
  expiresAtMs,
});
