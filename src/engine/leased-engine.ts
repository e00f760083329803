import type { ViewName, Views } from '../domain/views.ts';
import { type Engine, EngineStopped } from './engine.ts';
import { WrappedEngine } from './wrapped-engine.ts';

/** Proof that this node still leads: messages that the log has acknowledged. */
export type Lease = {
  /** The time since the newest acknowledged message was sent. */
  readonly provenAgeMs: number;
  /** Appends a message, or waits for the one in flight. Rejects when another node leads. */
  prove(): Promise<void>;
};

/** Views are answered for this long after a proof; nobody takes over before 1,500 ms of silence. */
const LEASE_MS = 800;
/** From this age on a view requests the next proof, so that later views need not wait. */
const RENEW_MS = 400;
/** How long a view waits for a log that is unreachable. */
const WAIT_MS = 2_000;
/** The same behind commands that the log has not taken: as long as gateways wait for an engine. */
const BEHIND_COMMANDS_MS = 12_000;

/**
 * The engine of a leader. A leader that was replaced without knowing it yet would answer views with old data;
 * so a view is answered only while it is proven that nobody else leads. Commands need no lease: their append
 * is the proof.
 */
export class LeasedEngine extends WrappedEngine {
  readonly #lease: Lease;
  readonly #after: (delayMs: number, call: () => void) => () => void;

  constructor(
    engine: Engine,
    lease: Lease,
    after: (delayMs: number, call: () => void) => () => void,
  ) {
    super(engine);
    this.#lease = lease;
    this.#after = after;
  }

  override async view<Name extends ViewName>(
    name: Name,
    query: Views[Name]['query'],
  ): Promise<Views[Name]['result']> {
    const result = await this.#within(super.view(name, query));
    await this.#proven();
    return result;
  }

  override async refreshed(): Promise<void> {
    await super.refreshed();
    await this.#proven();
  }

  #within<Result>(view: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const stop = this.#after(BEHIND_COMMANDS_MS, () => reject(new EngineStopped(NOT_PROVEN)));
      view.finally(stop).then(resolve, reject);
    });
  }

  /** The lease is checked after the view was made, so it covers that moment. */
  async #proven(): Promise<void> {
    const lease = this.#lease;
    if (lease.provenAgeMs < RENEW_MS) return;
    if (lease.provenAgeMs < LEASE_MS) {
      // A failure is reported to the next view that waits.
      lease.prove().catch(() => undefined);
      return;
    }
    let isLate = false;
    const waited = new Promise<void>((resolve) => {
      const stop = this.#after(WAIT_MS, () => {
        isLate = true;
        resolve();
      });
      void this.#renew(() => isLate)
        .then(stop, stop)
        .then(resolve);
    });
    await waited;
    if (lease.provenAgeMs >= LEASE_MS) throw new EngineStopped(NOT_PROVEN);
  }

  /** The message in flight may have been sent too long ago: then another one is needed. */
  async #renew(isLate: () => boolean): Promise<void> {
    while (!isLate() && this.#lease.provenAgeMs >= LEASE_MS) await this.#lease.prove();
  }
}

const NOT_PROVEN = 'the log has not confirmed that this node leads; ask again, or ask another node';
