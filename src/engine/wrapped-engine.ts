import type { Command } from '../domain/commands.ts';
import type { Directory, ViewName, Views } from '../domain/views.ts';
import type { Engine, EngineStatus, Submitted } from './engine.ts';

/** An engine around another one. Forwards everything; a subclass overrides what it adds. */
export abstract class WrappedEngine implements Engine {
  protected readonly inner: Engine;

  constructor(inner: Engine) {
    this.inner = inner;
  }

  submit(command: Command): Promise<Submitted> {
    return this.inner.submit(command);
  }

  view<Name extends ViewName>(
    name: Name,
    query: Views[Name]['query'],
  ): Promise<Views[Name]['result']> {
    return this.inner.view(name, query);
  }

  refreshed(): Promise<void> {
    return this.inner.refreshed();
  }

  get directory(): Directory {
    return this.inner.directory;
  }

  get releasedSequence(): number {
    return this.inner.releasedSequence;
  }

  nowMs(): number {
    return this.inner.nowMs();
  }

  nextStepAtMs(): number | undefined {
    return this.inner.nextStepAtMs();
  }

  isIdle(): boolean {
    return this.inner.isIdle();
  }

  indexPrices(): Views['indexPrices']['result'] {
    return this.inner.indexPrices();
  }

  status(): EngineStatus {
    return this.inner.status();
  }
}
