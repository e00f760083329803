import type { CDPSession, Page } from 'playwright-core';
import type { RialtoClient } from '../../src/client/index.ts';
import { type PageVenue, signIn } from './venue.ts';

/** Frame times of the page while its book changes sixty times a second, compared with the same page at rest. */

const WATCH_MS = 10_000;
const CHANGES_PER_SECOND = 60;
const LEVELS = 20;
const PENDING_MAX = 16;
export const BTC = 'BTC-USD-SWAP-LIN';

type Frames = { readonly p50: number; readonly p95: number; readonly busyMs: number };
export type FrameReport = {
  readonly idle: Frames;
  readonly busy: Frames;
  readonly changes: number;
  /** Busy over idle: independent of the machine's speed. */
  readonly ratioP95: number;
  readonly heapMb: readonly number[];
};

export async function measureFrames(venue: PageVenue): Promise<FrameReport> {
  const { page } = await venue.open('/');
  await signIn(page);
  const other = venue.other();
  const orderIds = await quoteLevels(other);
  await page
    .locator('.book .lv')
    .nth(LEVELS / 2)
    .waitFor();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const heapMb = [await heapOf(cdp)];
  const idle = await watch(page, cdp);
  let isOver = false;
  const changing = change(other, orderIds, () => isOver);
  const busy = await watch(page, cdp);
  heapMb.push(await heapOf(cdp));
  await watch(page, cdp);
  heapMb.push(await heapOf(cdp));
  isOver = true;
  const changes = await changing;
  await page.context().close();
  return { idle, busy, changes, ratioP95: Number((busy.p95 / idle.p95).toFixed(2)), heapMb };
}

export async function quoteLevels(client: RialtoClient): Promise<readonly string[]> {
  const [market] = await client.markets({ marketCode: BTC });
  const mark = Math.round(Number(market?.markPrice));
  const ids: string[] = [];
  for (let level = 1; level <= LEVELS; level += 4) {
    const orders = [0, 1, 2, 3].flatMap((more) => {
      const away = level + more;
      const order = { marketCode: BTC, orderType: 'LIMIT' as const, quantity: '1' };
      return [
        { ...order, side: 'BUY' as const, price: String(mark - away) },
        { ...order, side: 'SELL' as const, price: String(mark + away) },
      ];
    });
    const answers = await client.placeOrders({ responseType: 'FULL', orders });
    ids.push(...answers.map(({ orderId }) => orderId ?? ''));
  }
  return ids;
}

/** Sizes go up and down, one order after another. */
async function change(
  client: RialtoClient,
  ids: readonly string[],
  isOver: () => boolean,
): Promise<number> {
  let count = 0;
  const pending: Promise<unknown>[] = [];
  const startMs = performance.now();
  while (!isOver()) {
    const orderId = ids[count % ids.length] as string;
    const quantity = String(1 + ((count * 7) % 13) / 10);
    pending.push(client.modifyOrders({ orders: [{ marketCode: BTC, orderId, quantity }] }));
    if (pending.length >= PENDING_MAX) await pending.shift();
    count++;
    const aheadMs = (count * 1_000) / CHANGES_PER_SECOND - (performance.now() - startMs);
    if (aheadMs > 0) await new Promise((resolve) => setTimeout(resolve, aheadMs));
  }
  await Promise.all(pending);
  return count;
}

async function watch(page: Page, cdp: CDPSession): Promise<Frames> {
  const before = await workOf(cdp);
  const frames = await page.evaluate<readonly number[]>(`new Promise((resolve) => {
    const frames = [];
    let last = 0;
    const end = performance.now() + ${WATCH_MS};
    const next = (now) => {
      if (last > 0) frames.push(now - last);
      last = now;
      if (now < end) requestAnimationFrame(next);
      else resolve(frames);
    };
    requestAnimationFrame(next);
  })`);
  const sorted = [...frames].sort((one, other) => one - other);
  const at = (part: number): number =>
    Number((sorted[Math.floor(sorted.length * part)] ?? 0).toFixed(1));
  return { p50: at(0.5), p95: at(0.95), busyMs: Math.round((await workOf(cdp)) - before) };
}

/** The CPU time of the page's main thread so far. */
async function workOf(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
}

export async function heapOf(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  return Number((usedSize / 1_048_576).toFixed(1));
}
