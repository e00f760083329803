import { type Engine, EngineStopped } from '../../engine/engine.ts';
import type { RefusedAct } from '../http/mount.ts';

/**
 * Writes operators' refused acts into the audit log: who tried what, and why it was refused. Each is a
 * command in the journal, so they are bounded: per minute for one operator and for all, and by the characters
 * of what was sent. The next record says how many were left out.
 */
const MINUTE_MS = 60_000;
const OF_ONE_MAX = 10;
const OF_ALL_MAX = 60;
/** For the request, and for the reason. */
const TEXT_MAX = 200;
/** The most operators whose counts are kept. */
const ACTORS_MAX = 1_000;

type Minute = { startedMs: number; noted: number; leftOut: number };

export function refusedActs(engine: Engine): (refused: RefusedAct) => Promise<void> | undefined {
  const ofActor = new Map<string, Minute>();
  const ofAll: Minute = { startedMs: 0, noted: 0, leftOut: 0 };

  const minuteOf = (actor: string, nowMs: number): Minute => {
    if (nowMs - ofAll.startedMs >= MINUTE_MS) Object.assign(ofAll, { startedMs: nowMs, noted: 0 });
    const known = ofActor.get(actor) ?? { startedMs: nowMs, noted: 0, leftOut: 0 };
    if (nowMs - known.startedMs >= MINUTE_MS) Object.assign(known, { startedMs: nowMs, noted: 0 });
    if (ofActor.size >= ACTORS_MAX) ofActor.clear();
    ofActor.set(actor, known);
    return known;
  };

  return ({ actor, endpoint, body, refusal }) => {
    const minute = minuteOf(actor, engine.nowMs());
    if (minute.noted >= OF_ONE_MAX || ofAll.noted >= OF_ALL_MAX) {
      minute.leftOut++;
      return undefined;
    }
    minute.noted++;
    ofAll.noted++;
    const more = minute.leftOut === 0 ? '' : ` (and ${minute.leftOut} more before)`;
    minute.leftOut = 0;
    return noted(engine, {
      kind: 'note-refusal',
      actor,
      act: `${endpoint.method} ${endpoint.path}`,
      subject: shortened(body),
      reason: shortened(refusal.message) + more,
    });
  };
}

/** A venue that is stopping answers all the same. */
async function noted(engine: Engine, command: Parameters<Engine['submit']>[0]): Promise<void> {
  try {
    await engine.submit(command);
  } catch (error) {
    if (!(error instanceof EngineStopped)) throw error;
  }
}

function shortened(text: string): string {
  const plain = text.replace(/[\p{C}\s]+/gu, ' ');
  return plain.length <= TEXT_MAX ? plain : `${plain.slice(0, TEXT_MAX - 3)}...`;
}
