import { HOLD_WORDS } from './hold-words.ts';
import type { Unfinished } from './unfinished.ts';

/** The life of a withdrawal in five steps, from the venue's status. Pure. */

export type Step = {
  readonly name: string;
  readonly state: 'done' | 'now' | 'next' | 'stopped';
  readonly note?: string;
};

type WithdrawalState = {
  readonly status: string;
  readonly requestedAt: string;
  readonly completedAt?: string;
  readonly txId?: string;
};
type Waiting = Unfinished['withdrawals'][number] | undefined;

/** "2 h 14 min", "48 min", "12 s" */
function spanText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function stepsOf(
  withdrawal: WithdrawalState,
  waiting: Waiting,
  nowMs: number,
): readonly Step[] {
  const requested: Step = { name: 'Requested', state: 'done' };
  switch (withdrawal.status) {
    case 'CANCELED':
      return [requested, { name: 'Cancelled', state: 'stopped', note: 'All of it is back' }];
    case 'FAILED':
      return [requested, { name: 'Failed', state: 'stopped', note: 'All of it is back' }];
    case 'ON HOLD':
      return [
        requested,
        { name: 'On hold', state: 'now', note: holdNote(waiting, nowMs) },
        ...later('Sent', 'Confirming', 'Completed'),
      ];
    case 'PENDING':
      return [
        requested,
        now('Approved', 'Waits for its turn'),
        ...later('Sent', 'Confirming', 'Completed'),
      ];
    case 'IN SWEEPING':
      return [
        requested,
        now('Approved', 'The wallet collects what it needs'),
        ...later('Sent', 'Confirming', 'Completed'),
      ];
    case 'PROCESSING':
      return [
        requested,
        done('Approved'),
        done('Sent'),
        confirming(waiting),
        ...later('Completed'),
      ];
    case 'COMPLETED':
      return [requested, done('Approved'), done('Sent'), done('Confirmed'), done('Completed')];
    default:
      return [requested, now(withdrawal.status.toLowerCase(), '')];
  }
}

const done = (name: string): Step => ({ name, state: 'done' });
const now = (name: string, note: string): Step => ({ name, state: 'now', note });
const later = (...names: readonly string[]): Step[] =>
  names.map((name) => ({ name, state: 'next' }));

function confirming(waiting: Waiting): Step {
  const needed = waiting?.confirmationsNeeded;
  if (needed === undefined) return now('Confirming', '');
  const seen = waiting?.confirmations;
  return now(seen === undefined ? 'Confirming' : `Confirming ${seen} of ${needed}`, '');
}

function holdNote(waiting: Waiting, nowMs: number): string {
  const holds = waiting?.holds ?? [];
  if (holds.length === 0) return 'Held back';
  return holds
    .map((hold) => {
      const until = waiting?.holdUntil;
      if (hold !== 'new-address' || until === undefined) return HOLD_WORDS[hold];
      return `${HOLD_WORDS[hold]}: ${spanText(Number(until) - nowMs)} left`;
    })
    .join('. ');
}
