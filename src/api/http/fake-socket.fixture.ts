import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';

/** A fake socket: keeps what is written, and takes it on command. */
export class FakeSocket extends EventEmitter {
  readonly localAddress = '127.0.0.1';
  readonly remoteAddress = '127.0.0.9';
  text = '';
  /** Nothing that was written is taken until `drain` is called. */
  isStuck = false;
  writableLength = 0;
  writableEnded = false;
  destroyed = false;
  readableFlowing: boolean | null = true;
  readonly #callbacks: (() => void)[] = [];
  #isPaused = false;

  get asSocket(): Socket {
    return this as unknown as Socket;
  }

  write(text: string, encoding?: string | (() => void), callback?: () => void): boolean {
    const taken = typeof encoding === 'function' ? encoding : callback;
    this.text += text;
    if (taken !== undefined) this.#callbacks.push(taken);
    if (this.isStuck) this.writableLength += text.length;
    else this.drain();
    return true;
  }

  drain(): void {
    this.writableLength = 0;
    for (const taken of this.#callbacks.splice(0)) taken();
  }

  isPaused(): boolean {
    return this.#isPaused;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
  }

  end(): void {
    this.writableEnded = true;
  }

  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}
