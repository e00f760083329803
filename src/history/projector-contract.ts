import { describe, expect, test } from 'vitest';
import { tradesLog, walletLog } from './logs.fixture.ts';
import { contents, logged, STAMP, transfersLog } from './outcomes.fixture.ts';
import type { Place } from './place.ts';
import { type LoggedOutcome, openProjector } from './projector.ts';
import { HistoryRefused } from './refused.ts';
import type { Store } from './store.fixture.ts';

export function describeProjector({ name, newPlace }: Store): void {
  describe(`${name}: the projector`, () => {
    test('an event becomes its rows, and the cursor says how far history has come', async () => {
      const place = newPlace();
      await project(place, walletLog);
      const held = await contents(place);
      expect(held['about']).toMatchObject([{ stamp: STAMP, cursor: 6n, cursor_ms: 90n }]);
      expect(held['family_transfers']).toHaveLength(3);
      expect(held['account_transfers']).toHaveLength(6);
      const entries = held['wallet_entries'] as { account: bigint; id: bigint; amount: bigint }[];
      expect(entries.map(({ account, id, amount }) => [account, id, amount])).toEqual([
        [0n, 8n, 900n],
        [0n, 25n, -100n],
        [1n, 26n, 100n],
        [1n, 41n, -40n],
        [2n, 42n, 40n],
        [3n, 16n, 2n ** 61n],
        [3n, 33n, -7n],
        [5n, 34n, 7n],
      ]);
    });

    test('the time of every 256th event is kept, whatever it was', async () => {
      const place = newPlace();
      await project(place, transfersLog(600));
      expect((await contents(place))['entry_times']).toEqual([
        { id: 8n * 256n, at_ms: 1_085n },
        { id: 8n * 512n, at_ms: 1_170n },
      ]);
    });

    test('projected outcomes are skipped when they come again', async () => {
      const place = newPlace();
      const advanced: number[] = [];
      const projector = await openProjector({
        ...place,
        stamp: STAMP,
        onAdvanced: (to) => advanced.push(to),
      });
      await projector.project(walletLog.slice(0, 4));
      await projector.project(walletLog.slice(1, 3));
      await projector.project(walletLog.slice(2));
      await projector.project(walletLog);
      await projector.close();
      expect(advanced).toEqual([4, 6]);
      const whole = newPlace();
      await project(whole, walletLog);
      expect(await contents(place)).toEqual(await contents(whole));
    });

    test('many outcomes are projected in several transactions, and each is reported', async () => {
      const advanced: number[] = [];
      const projector = await openProjector({
        ...newPlace(),
        stamp: STAMP,
        onAdvanced: (to) => advanced.push(to),
        rowsMax: 60,
      });
      await projector.project(transfersLog(35));
      await projector.close();
      // A transfer is six rows including its outcome.
      expect(advanced).toEqual([10, 20, 30, 35]);
    });

    test('there may be a break after each outcome, and in a file between two statements', async () => {
      let rests = 0;
      const place = newPlace();
      const rest = (): void => void rests++;
      const projector = await openProjector({ ...place, stamp: STAMP, rest });
      await projector.project(transfersLog(35));
      await projector.close();
      if ('file' in place) expect(rests).toBeGreaterThan(35);
      else expect(rests).toBe(35);
    });

    test('a log with a gap is refused, and what came before it in that transaction is undone', async () => {
      const place = newPlace();
      const gap = [...walletLog.slice(0, 2), ...walletLog.slice(3)];
      await expect(project(place, gap)).rejects.toThrow(
        /has come to 2, but the event log goes on at 4/,
      );
      expect(await refusalOf(project(place, walletLog.slice(1)))).toBe('gap');
      await project(place, walletLog);
      expect((await contents(place))['about']).toMatchObject([{ cursor: 6n }]);
    });

    test('a projector that goes on after a failure counts nothing twice', async () => {
      const place = newPlace();
      const projector = await openProjector({ ...place, stamp: STAMP });
      await projector.project(tradesLog.slice(0, 1));
      const gap = [...tradesLog.slice(1, 3), { ...(tradesLog[3] as LoggedOutcome), sequence: 9 }];
      await expect(projector.project(gap)).rejects.toThrow(/goes on at 9/);
      await projector.project(tradesLog);
      await projector.close();
      const whole = newPlace();
      await project(whole, tradesLog);
      expect(await contents(place)).toEqual(await contents(whole));
    });

    test('time that runs backwards stops history', async () => {
      const backwards = logged([
        { timeMs: 10, events: [] },
        { timeMs: 9, events: [] },
      ]);
      const place = newPlace();
      await expect(project(place, backwards)).rejects.toThrow(/never runs backwards/);
      await project(place, backwards.slice(0, 1));
      await expect(project(place, backwards)).rejects.toThrow(/never runs backwards/);
    });

    test('of two projectors on one history the one that comes second is refused', async () => {
      const place = newPlace();
      const first = await openProjector({ ...place, stamp: STAMP });
      const second = await openProjector({ ...place, stamp: STAMP });
      await first.project(walletLog.slice(0, 2));
      expect(await refusalOf(second.project(walletLog.slice(0, 1)))).toBe('taken');
      await first.close();
      await second.close();
      const third = await openProjector({ ...place, stamp: STAMP });
      const fourth = await openProjector({ ...place, stamp: STAMP });
      await third.project(walletLog.slice(2, 3));
      expect(await refusalOf(fourth.project(walletLog.slice(2, 3)))).toBe('taken');
      await third.close();
      await fourth.close();
    });

    test('it is also refused if it fails on rows that the first one has written meanwhile', async () => {
      const place = newPlace();
      const first = await openProjector({ ...place, stamp: STAMP });
      const second = await openProjector({ ...place, stamp: STAMP });
      await first.project(tradesLog);
      expect(await refusalOf(second.project(tradesLog))).toBe('taken');
      expect(await second.reloadCursor()).toBe(true);
      expect(second.sequence).toBe(first.sequence);
      await first.close();
      await second.close();
    });

    async function project(place: Place, outcomes: Iterable<LoggedOutcome>): Promise<void> {
      const projector = await openProjector({ ...place, stamp: STAMP });
      try {
        await projector.project(outcomes);
      } finally {
        await projector.close();
      }
    }

    async function refusalOf(work: Promise<void>): Promise<string | undefined> {
      try {
        await work;
        return undefined;
      } catch (cause) {
        expect(cause).toBeInstanceOf(HistoryRefused);
        return (cause as HistoryRefused).reason;
      }
    }
  });
}
