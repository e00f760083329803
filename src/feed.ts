import { randomInt } from 'node:crypto';
import { extname } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { OpenFeed } from './api/edge.ts';
import type { FeedAnswer } from './api/stream/publisher.ts';
import type { JoinFeed, StreamWork } from './stream-worker.ts';

/**
 * Each node of a cluster numbers the messages of its stream by itself. The numbers of two nodes are so far
 * apart that a client cannot resume at one what it received from the other: it gets a new snapshot. They stay
 * below 2^53 until the year 2033.
 */
export const randomOffset = (): number => randomInt(7_000) * 1e12 + randomInt(1e12);

/** The stream's thread: it runs while a thread with listeners is connected to it. */
export class Feed {
  readonly #work: StreamWork;
  readonly #onTrouble: (reason: Error) => void;
  #worker: Worker | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(work: StreamWork, onTrouble: (reason: Error) => void) {
    this.#work = work;
    this.#onTrouble = onTrouble;
  }

  join(port: MessagePort): void {
    this.#worker ??= this.#start();
    this.#worker.postMessage({ kind: 'join', port } satisfies JoinFeed, [port]);
  }

  /** Resolves when the last of them has left and the thread has ended. */
  async ended(): Promise<void> {
    await this.#ended;
  }

  #start(): Worker {
    const worker = new Worker(workerUrl('stream-worker'), { workerData: this.#work });
    worker.on('error', (cause) => this.#onTrouble(cause as Error));
    this.#ended = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        if (this.#worker === worker) this.#worker = undefined;
        resolve();
      });
    });
    return worker;
  }
}

/** Connects to it: `send` passes the other end of the port there. */
export const feedOpener =
  (send: (port: MessagePort) => void): OpenFeed =>
  ({ onAnswer, onEnd }) => {
    const { port1: port, port2 } = new MessageChannel();
    let isStopped = false;
    const ended = new Promise<void>((resolve) => port.once('close', () => resolve()));
    port.on('message', (answer: FeedAnswer) => {
      if (!isStopped) onAnswer(answer);
    });
    port.once('close', () => {
      if (!isStopped) onEnd(new Error('the thread of the stream has ended'));
      isStopped = true;
    });
    send(port2);
    return {
      post: (request) => port.postMessage(request),
      stop: async () => {
        isStopped = true;
        port.postMessage({ kind: 'stop' });
        await ended;
      },
    };
  };

/** Source or built: a worker's file is beside this one and has the same extension. */
export const workerUrl = (name: string): URL =>
  new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);
