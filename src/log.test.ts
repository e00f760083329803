import { Writable } from 'node:stream';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { fileSink, observeLog, openLog, streamSink } from './log.ts';

const messages = (text: string): unknown[] =>
  text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line).msg];
    } catch {
      return [];
    }
  });

test('a full disk takes nothing, stops nothing, and the log goes on with how much is missing', async () => {
  let room = 0;
  let file = '';
  const sink = fileSink((text) => {
    if (room === 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    const written = Math.min(room, text.length);
    file += text.slice(0, written);
    room -= written;
    return written;
  });
  const { log } = openLog('info', sink);
  const metrics = new Registry();
  observeLog(metrics, sink);
  log.info('lost');
  // Half a line, then nothing again.
  room = 20;
  log.info('torn');
  log.info('lost too');
  expect(sink.dropped).toBe(3);
  expect(file).toHaveLength(20);
  room = 10_000;
  log.info('written');
  log.info('and more');
  expect(messages(file)).toEqual(['written', 'log lines were dropped', 'and more']);
  expect(file).toContain('"dropped":3');
  expect(await metrics.metrics()).toContain('rialto_log_dropped_total 3\n');
});

/** A pipe whose reader reads only when told. */
function pipe() {
  let taken = '';
  let waiting: (() => void) | undefined;
  const stream = new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      waiting = () => {
        taken += String(text);
        done();
      };
    },
  });
  const read = async (): Promise<void> => {
    while (waiting !== undefined) {
      const next = waiting;
      waiting = undefined;
      next();
      await new Promise(setImmediate);
    }
  };
  return { stream, read, taken: () => taken };
}

test('a reader that has stopped costs bounded memory, and is told what it missed', async () => {
  const { stream, read, taken } = pipe();
  const sink = streamSink(stream);
  const { log } = openLog('info', sink);
  for (let line = 0; line < 3_000; line++) log.info(`line ${line} ${'x'.repeat(1_000)}`);
  expect(stream.writableLength).toBeLessThanOrEqual(256 * 1_024);
  const { dropped } = sink;
  expect(dropped).toBeGreaterThan(2_700);
  await read();
  log.info('heard again');
  await read();
  expect(messages(taken()).slice(-2)).toEqual(['heard again', 'log lines were dropped']);
  expect(messages(taken())).toHaveLength(3_000 - dropped + 2);
});

test('a reader that has gone is counted line by line and ends nothing', async () => {
  const stream = new Writable({
    write: (_text, _encoding, done) => done(Object.assign(new Error('gone'), { code: 'EPIPE' })),
  });
  const sink = streamSink(stream);
  const { log } = openLog('info', sink);
  log.info('first');
  await new Promise(setImmediate);
  log.info('second');
  await new Promise(setImmediate);
  expect(sink.dropped).toBe(2);
});

test('a flush waits for the reader, and no longer than the timer allows', async () => {
  const { stream, read } = pipe();
  let expire = (): void => undefined;
  let isCancelled = false;
  const sink = streamSink(stream, (_delayMs, call) => {
    expire = call;
    return () => {
      isCancelled = true;
    };
  });
  await sink.flush();
  sink.write('x'.repeat(100_000));
  const flushed = sink.flush();
  await read();
  await flushed;
  expect(isCancelled).toBe(true);
  sink.write('y'.repeat(100_000));
  const given = sink.flush();
  expire();
  await given;
});

test('the end of a venue is written at every level but silent', () => {
  const written = (level: string): unknown[] => {
    let file = '';
    const sink = fileSink((text) => {
      file += text;
      return text.length;
    });
    const { log, notice } = openLog(level, sink);
    log.info('chatter');
    notice('closing');
    return messages(file);
  };
  expect(written('info')).toEqual(['chatter', 'closing']);
  expect(written('error')).toEqual(['closing']);
  expect(written('silent')).toEqual([]);
});
