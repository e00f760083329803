import { limit } from '../http/trading.ts';
import { BTC } from './frames.ts';
import { bestOf, shownBook, tap } from './line.ts';
import type { PageVenue } from './venue.ts';

/**
 * Compares the page's book with the venue's after many random changes on a connection that loses book
 * messages and is cut now and then. At the end the page must show what the venue has, level by level.
 */

const CHANGES = 10_000;
/** The maximum of one request. */
const BATCH = 8;
const LOSES_ONE_OF = 7;
const BATCHES_BETWEEN_CUTS = 120;
const LEVELS = 8;
const WITHIN_MS = 60_000;

export type BookReport = {
  readonly seed: number;
  readonly changes: number;
  readonly lost: number;
  readonly cuts: number;
  readonly seconds: number;
  readonly isEqual: boolean;
  readonly shown: readonly string[];
  readonly wanted: readonly string[];
};

export async function compareBooks(
  venue: PageVenue,
  changesWanted = CHANGES,
  seed = 1,
): Promise<BookReport> {
  const { page } = await venue.open('/settings');
  const line = await tap(page);
  line.loses = LOSES_ONE_OF;
  await page.goto(`${venue.baseUrl}/`);
  await page.locator('.book').waitFor();
  const other = venue.other();
  const [market] = await other.markets({ marketCode: BTC });
  const mark = Math.round(Number(market?.markPrice));
  const random = randomFrom(seed);
  const startMs = performance.now();
  let standing: { readonly orderId: string; readonly marketCode: string }[] = [];
  let changes = 0;
  let cuts = 0;
  for (let batch = 1; changes < changesWanted; batch++) {
    const orders = Array.from({ length: BATCH }, (_, at) => {
      const side = at % 2 === 0 ? ('BUY' as const) : ('SELL' as const);
      const away = 1 + random(25);
      const price = String(side === 'BUY' ? mark - away : mark + away);
      return { ...limit(side, `0.${1 + random(9)}`, price), marketCode: BTC };
    });
    const placed = await other.placeOrders({ responseType: 'ACK', orders });
    for (const { orderId } of placed) {
      if (orderId !== undefined) standing.push({ orderId, marketCode: BTC });
    }
    changes += placed.length;
    // Some stay long, so that losing one change is noticed at the end.
    while (standing.length > 60) {
      const gone = Array.from({ length: BATCH }, () => standing[random(standing.length)]);
      const named = [...new Set(gone)].filter((one) => one !== undefined);
      await other.cancelOrders({ responseType: 'ACK', orders: named });
      standing = standing.filter((one) => !named.includes(one));
      changes += named.length;
    }
    if (batch % BATCHES_BETWEEN_CUTS === 0) {
      line.cut();
      cuts++;
    }
  }
  const wanted = bestOf(await other.depth({ marketCode: BTC, level: String(LEVELS) }), LEVELS);
  const untilMs = performance.now() + WITHIN_MS;
  let shown = await shownBook(page, LEVELS);
  while (String(shown) !== String(wanted) && performance.now() < untilMs) {
    await page.waitForTimeout(250);
    shown = await shownBook(page, LEVELS);
  }
  await page.context().close();
  await other.cancelAllOrders({});
  return {
    ...{ seed, changes, lost: line.lost, cuts },
    seconds: Math.round((performance.now() - startMs) / 1_000),
    isEqual: String(shown) === String(wanted),
    ...{ shown, wanted },
  };
}

/** Integers below a bound, the same ones for the same seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
