import type { AccountIndex } from '../src/domain/units.ts';
import { type OpenHistory, openHistory } from '../src/history/history.ts';
import type { Figure } from './figures.ts';
import {
  FIRST_ACCOUNT,
  FUNDED_EVERY,
  orderInFlow,
  PERPETUAL,
  SPOT,
  START_MS,
} from './history-log.ts';

/**
 * What a page of each list costs in a history, and in one with ten times as many trades of as many accounts.
 *
 * Both files are queried alternately, list by list and round by round, so that other load on the machine
 * affects both. A page is read in several rounds and its fastest time counts, which excludes other load and
 * waiting for the disk. Pages have a size that the shorter history fills too, wherever in its newer half they
 * end: a page that is longer in the longer history would cost more without being slower.
 */
export type PagedHistory = {
  readonly file: string;
  readonly stamp: string;
  readonly accounts: number;
  readonly matches: number;
  readonly timeMs: number;
};

/** Pages read of each list: half of them the newest, half anywhere in the newer half. */
const PAGES = 500;
const ROUNDS = 5;
const PAGE_ROWS = 200;
/** The shorter history covers a little more than a day. */
const HOURS_ROWS = 12;
const HALF_DAY_MS = 43_200_000;

export async function benchPages(few: PagedHistory, many: PagedHistory): Promise<Figure[]> {
  const open = ({ file, stamp }: PagedHistory) =>
    openHistory({ file, stamp, after: () => () => undefined });
  const opened = [
    { history: await open(few), places: placesIn(few) },
    { history: await open(many), places: placesIn(many) },
  ] as const;
  try {
    const figures: Figure[] = [];
    for (const list of LISTS) {
      const [shorter, longer] = [new Timings(), new Timings()];
      for (let round = 0; round < ROUNDS; round++) {
        await shorter.take(list, opened[0]);
        await longer.take(list, opened[1]);
      }
      figures.push(pageFigure(list, shorter, longer));
    }
    return figures;
  } finally {
    for (const { history } of opened) await history.close();
  }
}

type OpenedHistory = { readonly history: OpenHistory; readonly places: readonly Place[] };

class Timings {
  /** The minimum over all rounds, by place. */
  readonly #microseconds: number[] = Array(PAGES).fill(Number.POSITIVE_INFINITY);
  #rows = 0;

  /** Wall-clock time: the CPU time of a thread may be counted in steps of 4 ms. */
  async take({ read }: List, { history, places }: OpenedHistory): Promise<void> {
    this.#rows = 0;
    for (const [at, place] of places.entries()) {
      const startedMs = performance.now();
      const found = await read(history, place);
      const took = (performance.now() - startedMs) * 1_000;
      this.#microseconds[at] = Math.min(took, this.#microseconds[at] as number);
      this.#rows += Array.isArray(found) ? found.length : found === undefined ? 0 : 1;
    }
  }

  /** Average number of rows per page. */
  get rows(): number {
    return this.#rows / PAGES;
  }

  percentile(part: number): number {
    const sorted = this.#microseconds.toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length * part)] ?? 0;
  }
}

type Place = {
  readonly account: AccountIndex;
  readonly funded: AccountIndex;
  readonly toMs: number;
  readonly nowMs: number;
  /** One with a clientOrderId; nearly all of them have closed. */
  readonly order: { readonly account: AccountIndex; readonly orderId: number };
};

function placesIn({ accounts, matches, timeMs }: PagedHistory): Place[] {
  const random = randomOf(7);
  return Array.from({ length: PAGES }, (_, n) => {
    const agoMs = n % 2 === 0 ? 0 : Math.floor(((timeMs - START_MS) / 2) * random());
    const account = Math.floor(accounts * random());
    const order = orderInFlow(1 + 2 * Math.floor((matches / 4) * random()), accounts);
    return {
      account: (FIRST_ACCOUNT + account) as AccountIndex,
      funded: (FIRST_ACCOUNT + account - (account % FUNDED_EVERY)) as AccountIndex,
      toMs: timeMs - agoMs,
      nowMs: timeMs,
      order,
    };
  });
}

type List = { readonly name: string; read(history: OpenHistory, place: Place): Promise<unknown> };

const window = ({ account, toMs }: Place) => ({ account, fromMs: 0, toMs, limit: PAGE_ROWS });
const LISTS: readonly List[] = [
  { name: 'trades', read: (history, place) => history.trades(window(place)) },
  {
    name: 'trades of a market',
    read: (history, place) => history.trades({ ...window(place), market: PERPETUAL }),
  },
  { name: 'wallet', read: (history, place) => history.walletEntries(window(place)) },
  {
    name: 'wallet, fees only',
    read: (history, place) => history.walletEntries({ ...window(place), type: 'TRADE_FEE' }),
  },
  {
    name: 'order by id',
    read: (history, { order }) => history.order(order),
  },
  {
    name: 'order by clientOrderId',
    read: (history, { order: { account, orderId } }) =>
      history.order({ account, clientOrderId: BigInt(orderId) }),
  },
  { name: 'closed orders', read: (history, place) => history.orders(window(place)) },
  {
    name: 'closed orders of a market',
    read: (history, place) => history.orders({ ...window(place), market: PERPETUAL }),
  },
  {
    name: 'exchange trades',
    read: (history, { toMs }) => history.exchangeTrades({ fromMs: 0, toMs, limit: PAGE_ROWS }),
  },
  {
    name: 'exchange trades of a market',
    read: (history, { toMs }) =>
      history.exchangeTrades({ fromMs: 0, toMs, limit: PAGE_ROWS, market: SPOT }),
  },
  {
    name: 'funding of half a day',
    read: (history, place) =>
      history.fundingPayments({ ...window(place), account: place.funded, limit: HOURS_ROWS }),
  },
  {
    name: "the last half day's figures of a market",
    read: (history, { nowMs }) => history.dayStats({ market: SPOT, fromMs: nowMs - HALF_DAY_MS }),
  },
  { name: '500 candles of a minute', read: (history, place) => candles(history, place, 60, 500) },
  {
    name: '24 candles of half an hour',
    read: (history, place) => candles(history, place, 1_800, 2 * HOURS_ROWS),
  },
  {
    name: "half a day's hours of an account",
    read: (history, place) => history.accountHours({ ...window(place), limit: HOURS_ROWS }),
  },
];

/** The longest possible window: seven days. */
const candles = (history: OpenHistory, { toMs }: Place, seconds: number, limit: number) =>
  history.candles({
    market: SPOT,
    lengthMs: seconds * 1_000,
    fromMs: toMs - 7 * 86_400_000,
    toMs,
    limit,
  });

/** Park-Miller: the same places in every run. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function pageFigure({ name }: List, few: Timings, many: Timings): Figure {
  const value = many.percentile(0.99);
  const ratio = value / few.percentile(0.99);
  const [before, after] = [few, many].map((each) => each.percentile(0.5).toFixed(0));
  const [rows, rowsAfter] = [few, many].map((each) => each.rows.toFixed(1));
  return {
    id: 'S8',
    name: `${name}: p99 (p50 ${before}, then ${after} us; ${rows}, then ${rowsAfter} rows)`,
    value,
    unit: 'us',
    ratio,
    to: 'with a tenth of the trades',
    goal: '<= 1.5',
    isMet: ratio <= 1.5,
  };
}
