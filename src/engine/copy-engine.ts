import type { State } from '../core/state.ts';
import { isIdle, nextStepAtMs } from '../core/venue.ts';
import { view } from '../core/views/views.ts';
import type { Command } from '../domain/commands.ts';
import type { Refusal } from '../domain/rejections.ts';
import type { Directory, ViewName, Views } from '../domain/views.ts';
import type { Clock } from './clock.ts';
import { type Engine, type EngineStatus, type Submitted, unrecorded } from './engine.ts';

/** An engine that sends commands elsewhere and reads from a copy of the state. */
export abstract class CopyEngine implements Engine {
  abstract readonly directory: Directory;
  abstract readonly releasedSequence: number;
  readonly #state: State;
  readonly #clock: Clock;

  constructor({ state, clock }: { readonly state: State; readonly clock: Clock }) {
    this.#state = state;
    this.#clock = clock;
  }

  abstract submit(command: Command): Promise<Submitted>;

  /** Resolves once the copy shows whatever was answered before the call. */
  abstract refreshed(): Promise<void>;

  abstract status(): EngineStatus;

  async view<Name extends ViewName>(
    name: Name,
    query: Views[Name]['query'],
  ): Promise<Views[Name]['result']> {
    // Metrics may be slightly out of date, and must not keep the venue awake.
    if (name !== 'activity') await this.refreshed();
    return view(this.#state, name, query);
  }

  nowMs(): number {
    return Math.max(this.#clock.nowMs(), this.#state.timeMs);
  }

  nextStepAtMs(): number | undefined {
    return nextStepAtMs(this.#state);
  }

  isIdle(): boolean {
    return isIdle(this.#state);
  }

  indexPrices(): Views['indexPrices']['result'] {
    return view(this.#state, 'indexPrices', {});
  }

  protected refused(refusal: Refusal): Submitted {
    return unrecorded(refusal, this.#state.sequence, this.nowMs());
  }
}
