import type { Command } from '../domain/commands.ts';
import type { ViewName, Views } from '../domain/views.ts';
import type { Engine, Submitted } from './engine.ts';
import { isPause, secondOf } from './ticker.ts';
import { WrappedEngine } from './wrapped-engine.ts';

/** Submits the commands that an idle venue omits: prices, ticks. */
export type Keeper = {
  /** The second of what was submitted last; -1 before anything was. */
  readonly second: number;
  /** Submits what this second lacks. Returns whether it did. */
  wake(): boolean;
};

export type FreshOptions = {
  readonly engine: Engine;
  readonly isIdle: () => boolean;
  /** In the order in which they are woken: prices before the tick that samples them. */
  readonly keepers: readonly Keeper[];
};

/**
 * The engine as the edge sees it: never older than the second of the request. An idle venue writes neither
 * time nor prices; what it lacks is submitted right before the first command or view of a second. All of it
 * is applied in the same turn of the event loop, and goes to the journal in one group, ahead of the request's
 * own command.
 *
 * A pause may also be ended by what is no request: a listener of the stream, a deposit. The timers then go on
 * with their next period, which may be too late for the request that follows, so it brings what they lack.
 *
 * So requests to an idle venue cost at most one price round and one tick a second, however many they are.
 */
export class FreshEngine extends WrappedEngine {
  readonly #isIdle: () => boolean;
  readonly #keepers: readonly Keeper[];
  #second = -1;
  /**
   * Resolves when what the last refresh submitted is on disk; undefined when there is nothing to wait for.
   */
  #pending: Promise<void> | undefined;

  constructor({ engine, isIdle, keepers }: FreshOptions) {
    super(engine);
    this.#isIdle = isIdle;
    this.#keepers = keepers;
  }

  override submit(command: Command): Promise<Submitted> {
    this.#refresh();
    return super.submit(command);
  }

  override view<Name extends ViewName>(
    name: Name,
    query: Views[Name]['query'],
  ): Promise<Views[Name]['result']> {
    // Metrics need no prices: a venue that is only scraped stays idle.
    if (name !== 'activity') this.#refresh();
    return super.view(name, query);
  }

  override async refreshed(): Promise<void> {
    this.#refresh();
    await this.#pending;
    await super.refreshed();
  }

  #refresh(): void {
    const second = secondOf(this.inner.nowMs());
    if (second === this.#second) return;
    this.#second = second;
    const isIdle = this.#isIdle();
    let isAnyWoken = false;
    for (const keeper of this.#keepers) {
      if (isIdle || isPause(keeper.second, second)) isAnyWoken = keeper.wake() || isAnyWoken;
    }
    if (!isAnyWoken) return;
    // A view waits until everything it saw is on disk. A stopped engine is reported by the caller's own call.
    const pending: Promise<void> = this.inner.view('clock', {}).then(
      () => this.#settle(pending),
      () => this.#settle(pending),
    );
    this.#pending = pending;
  }

  #settle(pending: Promise<void>): void {
    if (this.#pending === pending) this.#pending = undefined;
  }
}
