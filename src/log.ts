import { fstatSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import pino, { type Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';

/**
 * The log of the venue, on standard output. Trading never waits for it: what cannot be written at once (a
 * full disk, a reader that has stopped or gone) waits in a bounded buffer or is dropped, and is counted. The
 * first line that gets through again is followed by the number of dropped ones.
 */
export type LogSink = {
  write(line: string): void;
  readonly dropped: number;
  /** Waits briefly for what is buffered; no longer for a reader that has stopped. */
  flush(): Promise<void>;
};

export type VenueLog = {
  readonly log: Logger;
  /** Written at every level but `silent`: the beginning and the end of a stop. */
  readonly notice: (words: string) => void;
  readonly sink: LogSink;
};

const STDOUT = 1;
const BUFFERED_BYTES_MAX = 256 * 1_024;
const FLUSH_WITHIN_MS = 500;

export function openLog(level: string, sink = standardOutput()): VenueLog {
  let reported = 0;
  const destination = {
    write(line: string): void {
      const before = sink.dropped;
      sink.write(line);
      const lost = sink.dropped - reported;
      if (lost === 0 || sink.dropped > before) return;
      reported = sink.dropped;
      log.warn({ dropped: lost }, 'log lines were dropped');
    },
  };
  const log = pino({ level, base: null }, destination);
  const noticing = level === 'silent' ? log : log.child({}, { level: 'info' });
  return { log, notice: (words) => noticing.info(words), sink };
}

/** Dropped lines as a metric: an operator without a log sees that it is missing. */
export function observeLog(metrics: Registry, sink: LogSink): void {
  new Counter({
    name: 'rialto_log_dropped_total',
    help: 'Log lines that could not be written',
    registers: [metrics],
    collect() {
      this.reset();
      this.inc(sink.dropped);
    },
  });
}

/** Files are written at once or not at all; pipes, sockets and terminals may stop taking bytes. */
function standardOutput(): LogSink {
  // Whatever else writes there (a greeting, a thread, a warning) must not end the process either.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const stat = fstatSync(STDOUT);
  const isPlain = stat.isFile() || (stat.isCharacterDevice() && !isatty(STDOUT));
  if (isPlain) return fileSink((text) => writeSync(STDOUT, text));
  // Terminals are written to synchronously by default, and a paused one (Ctrl-S) would block the venue. There
  // is no public call for it.
  const { _handle: handle } = process.stdout as unknown as {
    readonly _handle?: { setBlocking?(isBlocking: boolean): void };
  };
  handle?.setBlocking?.(false);
  return streamSink(process.stdout);
}

/** `append` returns how many bytes it wrote, and throws when it wrote none. */
export function fileSink(append: (text: string) => number): LogSink {
  let dropped = 0;
  let isTorn = false;
  return {
    get dropped() {
      return dropped;
    },
    write(line) {
      // A full disk may have written half a line; the next one must not be appended to it.
      const text = isTorn ? `\n${line}` : line;
      try {
        isTorn = append(text) < Buffer.byteLength(text);
        if (isTorn) dropped++;
      } catch {
        dropped++;
      }
    },
    flush: () => Promise.resolve(),
  };
}

export type LogStream = Pick<NodeJS.WritableStream, 'on' | 'once' | 'removeListener'> & {
  readonly writableLength: number;
  write(text: string, done: (error?: Error | null) => void): boolean;
};

export function streamSink(stream: LogStream, after = afterRealTime): LogSink {
  let dropped = 0;
  // After an error on a pipe, a socket or a terminal nothing more can be written: its reader has gone.
  let isBroken = false;
  const onWritten = (error?: Error | null): void => {
    if (error === undefined || error === null) return;
    isBroken = true;
    dropped++;
  };
  // The same error is also emitted, and would end the process without a listener.
  stream.on('error', () => undefined);
  return {
    get dropped() {
      return dropped;
    },
    write(line) {
      const isFull = stream.writableLength + line.length > BUFFERED_BYTES_MAX;
      if (isBroken || isFull) dropped++;
      else stream.write(line, onWritten);
    },
    flush: () =>
      new Promise((resolve) => {
        if (isBroken || stream.writableLength === 0) {
          resolve();
          return;
        }
        const cancel = after(FLUSH_WITHIN_MS, () => {
          stream.removeListener('drain', done);
          resolve();
        });
        const done = (): void => {
          cancel();
          resolve();
        };
        stream.once('drain', done);
      }),
  };
}

const afterRealTime = (delayMs: number, call: () => void): (() => void) => {
  const timer = setTimeout(call, delayMs);
  return () => clearTimeout(timer);
};
