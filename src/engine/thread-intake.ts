import { refuse } from '../domain/rejections.ts';
import { type Engine, unrecorded } from './engine.ts';
import { type Answer, AnswerWriter, type Call, readCalls } from './thread-messages.ts';

export type ThreadIntakeParts = {
  readonly engine: Engine;
  /** Posts a message to the gateway thread. */
  readonly post: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly soon: (run: () => void) => void;
};

/** The engine's side of the connection to one gateway thread. All answers of a turn go in one message. */
export class ThreadIntake {
  readonly #parts: ThreadIntakeParts;
  readonly #answers = new AnswerWriter();
  #isTurnScheduled = false;
  #hasEnded = false;

  constructor(parts: ThreadIntakeParts) {
    this.#parts = parts;
  }

  receive(bytes: Uint8Array): void {
    readCalls(bytes, (ticket, call) => this.#take(ticket, call));
  }

  /** The thread has ended: nothing is answered any more. */
  end(): void {
    this.#hasEnded = true;
  }

  #take(ticket: number, call: Call | undefined): void {
    const { engine } = this.#parts;
    const fail = (): void => this.#answer(ticket, 'unknown');
    if (call === undefined) {
      const { releasedSequence } = engine;
      this.#answer(ticket, unrecorded(UNREADABLE, releasedSequence, engine.nowMs()));
    } else if (call === 'refresh') {
      // A view waits until all that it saw is on disk.
      engine.view('clock', {}).then(() => this.#answer(ticket, 'refreshed'), fail);
    } else engine.submit(call).then((submitted) => this.#answer(ticket, submitted), fail);
  }

  #answer(ticket: number, answer: Answer): void {
    if (this.#hasEnded) return;
    this.#answers.add(ticket, answer);
    if (this.#isTurnScheduled) return;
    this.#isTurnScheduled = true;
    this.#parts.soon(() => {
      this.#isTurnScheduled = false;
      if (!this.#hasEnded) this.#parts.post(this.#answers.take());
    });
  }
}

/** Both threads run the same program: only a fault of ours gets here. */
const UNREADABLE = refuse('PARAMETER_INVALID', 'the command of the gateway cannot be read');
