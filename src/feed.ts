import { randomInt } from 'node:crypto';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { OpenFeed } from './api/edge.ts';
import type { FeedAnswer } from './api/stream/publisher.ts';
import type { StreamWork } from './stream-worker.ts';

/**
 * Each node of a cluster, and each gateway thread, numbers the messages of its stream by itself. Numbers of two of them are so far
 * apart that none of them can resume what was heard from the other: it begins anew. They stay below 2^53 until the year 2033.
 */
export const drawnOffset = (): number => randomInt(7_000) * 1e12 + randomInt(1e12);

/** Of the stream: it runs while somebody listens. */
export const feedOpener =
  (work: StreamWork): OpenFeed =>
  ({ onAnswer, onEnd }) => {
    const worker = new Worker(workerUrl('stream-worker'), { workerData: work });
    let isAsked = false;
    worker.on('message', (answer: FeedAnswer) => {
      if (!isAsked) onAnswer(answer);
    });
    worker.on('error', (cause) => {
      if (!isAsked) onEnd(cause as Error);
      isAsked = true;
    });
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    return {
      post: (request) => worker.postMessage(request),
      stop: async () => {
        isAsked = true;
        worker.postMessage({ kind: 'stop' });
        await ended;
      },
    };
  };

/** Source or built: a worker's file lies beside this one and has the same ending. */
export const workerUrl = (name: string): URL =>
  new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);
