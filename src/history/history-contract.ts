import { describe, expect, test } from 'vitest';
import type { FamilyIndex } from '../domain/units.ts';
import { openHistory } from './history.ts';
import { prepareHistory } from './open.ts';
import { STAMP, transfersLog } from './outcomes.fixture.ts';
import { openProjector } from './projector.ts';
import type { Store } from './store.fixture.ts';

export function describeHistory({ name, newPlace }: Store): void {
  describe(`${name}: reads of the past`, () => {
    test('walking page by page meets every row once, within one millisecond too', async () => {
      const place = newPlace();
      const projector = await openProjector({ ...place, stamp: STAMP });
      await projector.project(transfersLog(1_000));
      await projector.close();
      const history = await openHistory({ ...place, stamp: STAMP, after: () => () => {} });
      const window = { family: 0 as FamilyIndex, fromMs: 0, toMs: 9_999, limit: 7 };
      const met: bigint[] = [];
      for (let page = await history.transfers(window); page.length > 0 && met.length < 2_000; ) {
        met.push(...page.map(({ id }) => id));
        page = await history.transfers({ ...window, beforeId: met.at(-1) });
      }
      expect(met).toEqual(Array.from({ length: 1_000 }, (_, n) => BigInt(8 * (1_000 - n))));
      await history.close();
    });

    test('whoever waits for a write reads it', async () => {
      const { history, projector, log } = await venue();
      const isReached = history.reached(2, 2_000);
      const later = history.reached(3, 2_000);
      let isLaterAnswered = false;
      void later.then(() => {
        isLaterAnswered = true;
      });
      await projector.project(log.slice(0, 2));
      expect(await isReached).toBe(true);
      expect(history.sequence).toBe(2);
      expect((await history.transfers(EVERYTHING)).map(({ id }) => id)).toEqual([16n, 8n]);
      expect(isLaterAnswered).toBe(false);
      await projector.project(log.slice(2));
      expect(await later).toBe(true);
      expect(await history.transfers(EVERYTHING)).toHaveLength(3);
      expect(await history.reached(3, 0)).toBe(true);
      await close(history, projector);
    });

    test('only a read that must wait asks history to catch up', async () => {
      const wanted: number[] = [];
      const place = newPlace();
      await prepareHistory({ ...place, stamp: STAMP });
      const after = () => () => {};
      const history = await openHistory({
        ...place,
        stamp: STAMP,
        after,
        want: (to) => wanted.push(to),
      });
      history.advanced(4);
      expect(await history.reached(4, 2_000)).toBe(true);
      expect(await history.reached(5, 0)).toBe(false);
      expect(wanted).toEqual([]);
      const isReached = history.reached(6, 2_000);
      expect(wanted).toEqual([6]);
      await history.close();
      expect(await isReached).toBe(false);
    });

    test('a read that waits too long is refused, and a later write does not answer it twice', async () => {
      const { history, projector, log, timers } = await venue();
      const isReached = history.reached(1, 2_000);
      expect(timers.map(({ delayMs }) => delayMs)).toEqual([2_000]);
      timers[0]?.call();
      expect(await isReached).toBe(false);
      await projector.project(log);
      expect(await history.reached(1, 2_000)).toBe(true);
      expect(timers).toEqual([]);
      await close(history, projector);
    });

    test('the timer of an answered read is cancelled', async () => {
      const { history, projector, log, timers } = await venue();
      const isReached = history.reached(1, 2_000);
      await projector.project(log);
      expect(await isReached).toBe(true);
      expect(timers).toEqual([]);
      await close(history, projector);
    });

    test('the cursor never goes back, and closing ends waiting reads', async () => {
      const { history, projector, log } = await venue();
      await projector.project(log);
      history.advanced(1);
      expect(history.sequence).toBe(3);
      const isReached = history.reached(4, 2_000);
      await close(history, projector);
      expect(await isReached).toBe(false);
      expect(await history.reached(5, 2_000)).toBe(false);
    });

    test('a reader that opens later begins at the cursor in the file', async () => {
      const { history, projector, log, place } = await venue();
      await projector.project(log);
      const second = await openHistory({ ...place, stamp: STAMP, after: () => () => {} });
      expect(second.sequence).toBe(3);
      await second.close();
      await close(history, projector);
    });

    const EVERYTHING = { family: 0 as FamilyIndex, fromMs: 0, toMs: 10_000, limit: 500 };

    /** A projector and a reader on one file, and timers that the test fires. */
    async function venue() {
      const place = newPlace();
      await prepareHistory({ ...place, stamp: STAMP });
      const timers: { delayMs: number; call: () => void }[] = [];
      const history = await openHistory({
        ...place,
        stamp: STAMP,
        after: (delayMs, call) => {
          const timer = { delayMs, call };
          timers.push(timer);
          return () => void timers.splice(timers.indexOf(timer), 1);
        },
      });
      const onAdvanced = (sequence: number): void => history.advanced(sequence);
      const projector = await openProjector({ ...place, stamp: STAMP, onAdvanced });
      return { place, history, projector, timers, log: transfersLog(3) };
    }

    async function close(...open: readonly { close(): Promise<void> }[]): Promise<void> {
      for (const each of open) await each.close();
    }
  });
}
