import type { ByteWriter } from '../../bytes/pack.ts';
import { WORK_BOUNDS } from '../../domain/bounds.ts';
import type { CancelAllAfter } from '../../domain/commands.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { AccountIndex } from '../../domain/units.ts';
import { ALL_MARKETS, arm, disarm, passedOf } from '../memory/deadlines.ts';
import type { State } from '../state.ts';

/**
 * Arms or disarms a dead-man switch. It fires with a tick (trading/cancel-open-orders.ts), or with this command
 * if that comes too late.
 */
export function cancelAllAfter(
  state: State,
  { by, market, timeoutMs }: CancelAllAfter,
  out: ByteWriter,
): Refusal | undefined {
  const refusal = checkTimeout(timeoutMs);
  if (refusal !== undefined) return refusal;
  const account = state.keys[by.key]?.account as AccountIndex;
  const named = { account, ...(market === undefined ? {} : { market }) };
  const scope = market ?? ALL_MARKETS;
  const passed = passedOf(state.deadlines, account, scope, state.timeMs);
  if (passed !== undefined) state.pending.deadlines.push(passed);
  if (timeoutMs === 0) {
    disarm(state.deadlines, account, scope);
    encodeEvent(out, { kind: 'deadline-set', ...named });
    return undefined;
  }
  const atMs = state.timeMs + timeoutMs;
  arm(state.deadlines, { account, market: scope, atMs });
  encodeEvent(out, { kind: 'deadline-set', ...named, atMs });
  return undefined;
}

function checkTimeout(timeoutMs: number): Refusal | undefined {
  const { deadlineMinMs: min, deadlineMaxMs: max } = WORK_BOUNDS;
  if (timeoutMs === 0 || (timeoutMs >= min && timeoutMs <= max)) return undefined;
  const nearest = timeoutMs < 0 ? 0 : timeoutMs < min ? min : max;
  return refuse(
    'PARAMETER_INVALID',
    `timeout ${timeoutMs} must be 0, or from ${min} to ${max} ms; nearest ${nearest}`,
  );
}
