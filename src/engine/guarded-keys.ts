import { randomBytes } from 'node:crypto';
import type { KeyIndex } from '../domain/units.ts';
import type { Signals } from '../replication/log.ts';
import type { Engine } from './engine.ts';
import type { Every } from './ticker.ts';

/** How often a node announces its guarded keys. */
const ANNOUNCE_MS = 500;
/** A node that has announced keys and is silent for this long is gone, and its connections with it. */
const SILENT_MS = 3_000;
/** If this node itself has received nothing for this long, not even its own beats, silence says nothing about others. */
const CUT_OFF_MS = 1_000;
/** Bounds memory: anybody may send to the log servers. */
const NODES_MAX = 1_000;
const KEYS_MAX = 100_000;

export const GUARDS_TOPIC = 'guarded-keys';

/** The returned function says that no connection is left. */
export function announceGuarded(
  { node, signals }: { readonly node: string; readonly signals: Pick<Signals, 'send'> },
  guarded: () => readonly KeyIndex[],
  every: Every,
): () => void {
  // Names one start of the node: its next start does not speak for the connections of this one.
  const run = `${node}.${randomBytes(8).toString('hex')}`;
  let hasAnnounced = false;
  const announce = (keys: readonly KeyIndex[]): void => {
    if (keys.length > 0 || hasAnnounced) signals.send(GUARDS_TOPIC, JSON.stringify({ run, keys }));
    hasAnnounced = keys.length > 0;
  };
  const stop = every(ANNOUNCE_MS, () => announce(guarded()));
  return () => {
    stop();
    announce([]);
  };
}

/**
 * Keys whose open orders must be cancelled when their connection to the stream ends. The node that has the connection does it;
 * if that node is killed, nobody would. So nodes announce such keys, all engines remember what they receive, and the one that leads
 * cancels for a node that has fallen silent.
 */
export class GuardedKeys {
  readonly #nowMs: () => number;
  readonly #byRun = new Map<string, { readonly keys: readonly KeyIndex[]; lastSeenMs: number }>();
  #lastMessageMs: number;
  #checkedMs: number;

  /** Of a steady clock. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#lastMessageMs = nowMs();
    this.#checkedMs = nowMs();
  }

  /** Anything has arrived, this node's own beats included. */
  onMessage(): void {
    this.#lastMessageMs = this.#nowMs();
  }

  onAnnouncement(text: string): void {
    this.onMessage();
    const { run, keys } = announcedIn(text) ?? {};
    if (run === undefined || keys === undefined) return;
    if (keys.length === 0) this.#byRun.delete(run);
    else if (this.#byRun.has(run) || this.#byRun.size < NODES_MAX) {
      this.#byRun.set(run, { keys, lastSeenMs: this.#nowMs() });
    }
  }

  /** The keys of nodes that are gone; each is returned once. To be called every ANNOUNCE_MS. */
  takeSilent(): KeyIndex[] {
    const nowMs = this.#nowMs();
    const isCutOff = nowMs - Math.min(this.#lastMessageMs, this.#checkedMs) > CUT_OFF_MS;
    this.#checkedMs = nowMs;
    const found = new Set<KeyIndex>();
    for (const [run, announced] of this.#byRun) {
      // Cut off, or suspended: everybody gets the whole time again.
      if (isCutOff) announced.lastSeenMs = nowMs;
      if (nowMs - announced.lastSeenMs < SILENT_MS) continue;
      for (const key of announced.keys) found.add(key);
      this.#byRun.delete(run);
    }
    return [...found];
  }

  /** Of the engine that leads; the returned function ends it. */
  watch(engine: Engine, every: Every): () => void {
    this.#checkedMs = this.#nowMs();
    return every(ANNOUNCE_MS, () => cancelFor(engine, this.takeSilent()));
  }
}

/** What the end of their connections would have done. */
export function cancelFor(engine: Engine, keys: readonly KeyIndex[]): void {
  for (const key of keys) {
    engine
      .submit({ kind: 'cancel-all', by: { key }, afterDisconnect: true })
      .catch(() => undefined);
  }
}

function announcedIn(
  text: string,
): { readonly run: string; readonly keys: readonly KeyIndex[] } | undefined {
  try {
    const { run, keys } = JSON.parse(text) as { run?: unknown; keys?: unknown };
    if (typeof run !== 'string' || !Array.isArray(keys) || keys.length > KEYS_MAX) return undefined;
    return keys.every((key) => Number.isInteger(key) && key >= 0)
      ? { run, keys: keys as KeyIndex[] }
      : undefined;
  } catch {
    return undefined;
  }
}
