/** One suite for every replicated log. */
import { afterEach, describe, expect, test } from 'vitest';
import type { LogMessage, ReplicatedLog, Transport } from './log.ts';

export type LogOpening = {
  /** Another connection to one and the same empty log. */
  readonly open: () => Promise<ReplicatedLog & Transport>;
};

const bytesOf = (text: string): Uint8Array => Buffer.from(text);
const textOf = (message: LogMessage | undefined): string | undefined =>
  message === undefined ? undefined : Buffer.from(message.bytes).toString();

export function describeLog(name: string, prepare: () => Promise<LogOpening>): void {
  const logs: ReplicatedLog[] = [];
  const opening = async (): Promise<LogOpening['open']> => {
    const { open } = await prepare();
    return async () => {
      const log = await open();
      logs.push(log);
      return log;
    };
  };
  afterEach(async () => {
    for (const log of logs.splice(0)) await log.close();
  });

  describe(name, () => {
    test('an empty log ends at 0, and has nothing at the first place', async () => {
      const log = await (await opening())();
      expect(await log.end()).toMatchObject({ lastPlace: 0 });
      expect(await log.at(1)).toBeUndefined();
    });

    test('what is appended is read back in order, by another node too, with the time of the log', async () => {
      const open = await opening();
      const [one, other] = [await open(), await open()];
      for (let at = 0; at < 20; at++)
        expect(await one.append(bytesOf(`m${at}`), at)).toBe('stored');
      expect(await other.end()).toMatchObject({ firstPlace: 1, lastPlace: 20 });
      expect(textOf(await other.at(7))).toBe('m6');
      const read: LogMessage[] = [];
      await other.read(
        5,
        (message) => void read.push(message),
        () => read.length === 16,
      );
      expect(read.map(textOf)).toEqual(Array.from({ length: 16 }, (_, at) => `m${at + 4}`));
      expect(read.map(({ place }) => place)).toEqual(Array.from({ length: 16 }, (_, at) => at + 5));
      expect(read.every(({ timeMs }, at) => timeMs >= (read[at - 1]?.timeMs ?? 0))).toBe(true);
    });

    test('of writers that expect one place exactly one is stored', async () => {
      const open = await opening();
      const all = [await open(), await open(), await open()];
      for (let place = 0; place < 10; place++) {
        const answers = await Promise.all(
          all.map((log, at) => log.append(bytesOf(`${place} by ${at}`), place)),
        );
        expect(answers.filter((answer) => answer === 'stored')).toHaveLength(1);
        expect(answers.filter((answer) => answer === 'conflict')).toHaveLength(2);
        const winner = answers.indexOf('stored');
        expect(textOf(await (all[0] as ReplicatedLog).at(place + 1))).toBe(`${place} by ${winner}`);
      }
    });

    test('a writer that expects a place before or behind the end is turned away', async () => {
      const log = await (await opening())();
      expect(await log.append(bytesOf('first'), 0)).toBe('stored');
      expect(await log.append(bytesOf('again'), 0)).toBe('conflict');
      expect(await log.append(bytesOf('gap'), 2)).toBe('conflict');
      expect(await log.end()).toMatchObject({ lastPlace: 1 });
    });

    test('a reader gets what comes later, waits for its own work, and ends when it has enough', async () => {
      const open = await opening();
      const [writer, reader] = [await open(), await open()];
      const seen: string[] = [];
      let inWork = 0;
      const reading = reader.read(
        1,
        async (message) => {
          expect(++inWork).toBe(1);
          await new Promise((resolve) => setImmediate(resolve));
          inWork--;
          seen.push(textOf(message) as string);
        },
        () => seen.length === 5,
      );
      for (let at = 0; at < 5; at++) await writer.append(bytesOf(`late ${at}`), at);
      await reading;
      expect(seen).toEqual(['late 0', 'late 1', 'late 2', 'late 3', 'late 4']);
    });

    test('what a reader throws ends its reading, and closing ends one that waits', async () => {
      const open = await opening();
      const [log, other] = [await open(), await open()];
      await log.append(bytesOf('poison'), 0);
      const broken = log.read(1, () => {
        throw new Error('no such rule');
      });
      await expect(broken).rejects.toThrow('no such rule');
      const waiting = other.read(2, () => undefined);
      await other.close();
      await waiting;
    });

    test('messages of one turn arrive as they were posted, although their memory is used again', async () => {
      const log = await (await opening())();
      const got: string[] = [];
      const all = new Promise<void>((resolve) => {
        for (const topic of ['one', 'other']) {
          log.receive(topic, (bytes) => {
            if (got.push(`${topic}: ${Buffer.from(bytes).toString()}`) === 2) resolve();
          });
        }
      });
      const memory = Buffer.from('answers of one');
      log.post('one', memory);
      memory.fill('x');
      log.post('other', memory);
      await all;
      expect(got).toEqual(['one: answers of one', 'other: xxxxxxxxxxxxxx']);
    });
  });
}
