import type { MouseEventParams, UTCTimestamp } from 'lightweight-charts';
import { type RefObject, useEffect, useRef } from 'react';
import { decimalsOf } from '../../shared/number-text.ts';
import { publicClient } from '../../shared/session.ts';
import { settings } from '../../shared/settings.ts';
import { venueClockRead, venueNowMs } from '../../shared/venue-clock.ts';
import { live, type Market, type TIMEFRAMES } from '../feed.ts';
import type { LiveCandle } from '../live-state.ts';
import { mergeCandles } from './merge.ts';
import { type Plot, paint, setTick } from './plot.ts';
import { tokens } from './tokens.ts';
import { windowsOf } from './windows.ts';

export type Timeframe = (typeof TIMEFRAMES)[number]['name'];

const PAGE = 500;
const FIRST_SHOWN = 110;
const FEWEST_SHOWN = 40;
const EMPTY_AFTER = 6;
const OLDER_FROM = 10;
/** Candles that could not be read are requested again after this time. */
const AGAIN_MS = 5_000;
/** After a new candle has begun, the previous one is in the venue's history within this time. */
const ENDED_MS = 1_500;

export const timeOf = (ms: number): UTCTimestamp => (ms / 1_000) as UTCTimestamp;
export const spanOf = (timeframe: Timeframe): number => Number.parseInt(timeframe, 10) * 1_000;

const barOf = ({ openedAtMs, open, high, low, close }: LiveCandle) => ({
  time: timeOf(openedAtMs),
  ...{ open, high, low, close },
});

const volumeOf = (of: (name: string) => string) => {
  const [up, down] = [of('--buy-mid'), of('--sell-mid')];
  return ({ openedAtMs, volume, open, close }: LiveCandle) => ({
    time: timeOf(openedAtMs),
    value: volume,
    color: close < open ? down : up,
  });
};

/** Background of the last price: the chart writes white or black on it, whichever is readable. */
const endsOf = (of: (name: string) => string) => ({
  up: of('--buy-deep'),
  down: of('--sell-deep'),
});

async function readCandles(
  market: Market,
  timeframe: Timeframe,
  { beforeMs, bars = PAGE }: { readonly beforeMs?: number; readonly bars?: number } = {},
): Promise<LiveCandle[]> {
  await venueClockRead();
  const endMs = beforeMs ?? Math.round(venueNowMs()) + 60_000;
  const rows: Awaited<ReturnType<typeof publicClient.candles>>[number][] = [];
  for (const window of windowsOf(endMs, spanOf(timeframe), bars)) {
    const read = await publicClient.candles({
      marketCode: market.marketCode,
      ...{ timeframe, limit: String(PAGE) },
      ...{ startTime: String(window.startMs), endTime: String(window.endMs) },
    });
    rows.push(...read);
    // Before its first candle a market has none.
    if (read.length === 0) break;
  }
  return rows
    .map((row) => ({
      openedAtMs: Number(row.openedAt),
      open: Number(row.open),
      high: Number(row.high),
      low: Number(row.low),
      close: Number(row.close),
      volume: Number(row.currencyVolume),
    }))
    .reverse();
}

const lineOf = ({ openedAtMs, close }: LiveCandle) => ({ time: timeOf(openedAtMs), value: close });

/** A bar is selected with the pointer, or by keys. */
export type BarChoice = { step(by: number): void; leave(): void };
const NO_CHOICE: BarChoice = { step: () => undefined, leave: () => undefined };

/** History by REST, the current interval by the stream, older candles when one scrolls there. */
export function useCandles(
  plot: Plot | undefined,
  market: Market,
  timeframe: Timeframe,
  on: {
    readonly legend: (candle: LiveCandle | undefined) => void;
    /** Why there are no candles yet; undefined once there are. */
    readonly failure: (reason: unknown) => void;
  },
): RefObject<BarChoice> {
  const { marketCode, tickSize } = market;
  const choice = useRef(NO_CHOICE);
  const { legend: onLegend, failure: onFailure } = on;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a market is identified by its code
  useEffect(() => {
    if (plot === undefined) return undefined;
    let isCurrent = true;
    let all: LiveCandle[] = [];
    let isOldest = false;
    let isReading = true;
    let volumeBar = volumeOf(tokens());
    let ends = endsOf(tokens());
    const { candles, volume, chart, line } = plot;
    /** The selected bar; the last one if none is. */
    let pointed: number | undefined;
    setTick(plot, tickSize, decimalsOf(tickSize));
    const setAll = (): void => {
      candles.setData(all.map(barOf));
      volume.setData(all.map(volumeBar));
      line.setData(all.map(lineOf));
      colourLast();
    };
    /** An up candle is hollow: otherwise the label of its price would be empty, too. */
    const colourLast = (): void => {
      const last = all.at(-1);
      if (last === undefined) return;
      const priceLineColor = last.close < last.open ? ends.down : ends.up;
      if (candles.options().priceLineColor !== priceLineColor) {
        candles.applyOptions({ priceLineColor });
      }
    };
    setAll();
    let drawn: LiveCandle | undefined;
    /** The bar from which on the venue's history is read again, once that is due. */
    let mendFromMs: number | undefined;
    let mending: ReturnType<typeof setTimeout> | undefined;
    /**
     * The stream sends only the current bar: the final state of the previous one, and bars skipped by a gap
     * or a hidden tab, are read.
     */
    const mend = async (): Promise<void> => {
      mending = undefined;
      if (mendFromMs === undefined) return;
      const bars = Math.ceil((venueNowMs() - mendFromMs) / spanOf(timeframe)) + 2;
      if (bars > PAGE) return first();
      const read = await readCandles(market, timeframe, { bars });
      mendFromMs = undefined;
      if (!isCurrent) return;
      const pointedMs = pointed === undefined ? undefined : all[pointed]?.openedAtMs;
      const merged = mergeCandles(all, read);
      if (merged === all) return;
      all = [...merged];
      pointed = pointedMs === undefined ? undefined : indexAt(all, pointedMs);
      setAll();
    };
    const mendLater = (fromMs: number): void => {
      mendFromMs ??= fromMs;
      mending ??= setTimeout(() => {
        // What cannot be read now is requested with the next bar.
        void mend().catch(() => undefined);
      }, ENDED_MS);
    };
    const follow = (): void => {
      const { candle } = live.get();
      const last = all.at(-1);
      if (candle === undefined || last === undefined || candle === drawn) return;
      if (candle.openedAtMs < last.openedAtMs) return;
      drawn = candle;
      if (candle.openedAtMs === last.openedAtMs) all[all.length - 1] = candle;
      else {
        mendLater(last.openedAtMs);
        all.push(candle);
      }
      candles.update(barOf(candle));
      volume.update(volumeBar(candle));
      line.update(lineOf(candle));
      colourLast();
      if (pointed === undefined || pointed === all.length - 1) onLegend(candle);
    };
    const point = (at: number | undefined): void => {
      pointed = at;
      onLegend(at === undefined ? all.at(-1) : all[at]);
    };
    const onCrosshair = ({ time }: MouseEventParams): void => {
      const ms = time === undefined ? undefined : Number(time) * 1_000;
      const at = ms === undefined ? -1 : indexAt(all, ms);
      if (at >= 0 || pointed !== undefined) point(at < 0 ? undefined : at);
    };
    chart.subscribeCrosshairMove(onCrosshair);
    choice.current = {
      step: (by) => {
        const at = Math.min(all.length - 1, Math.max(0, (pointed ?? all.length) + by));
        const bar = all[at];
        if (bar === undefined) return;
        chart.setCrosshairPosition(bar.close, timeOf(bar.openedAtMs), candles);
        point(at);
      },
      leave: () => {
        chart.clearCrosshairPosition();
        point(undefined);
      },
    };
    const first = async (): Promise<void> => {
      const read = await readCandles(market, timeframe);
      if (!isCurrent) return;
      all = read;
      mendFromMs = undefined;
      setAll();
      onLegend(all.at(-1));
      // A young market fills the whole chart, not a corner of it.
      const from = Math.max(all.length - FIRST_SHOWN, Math.min(0, all.length - FEWEST_SHOWN));
      chart.timeScale().setVisibleLogicalRange({ from, to: all.length + EMPTY_AFTER });
      isReading = false;
      follow();
    };
    const older = async (): Promise<void> => {
      const oldest = all[0];
      if (oldest === undefined || isReading || isOldest) return;
      isReading = true;
      const read = await readCandles(market, timeframe, {
        beforeMs: oldest.openedAtMs - 1,
      }).finally(() => {
        isReading = false;
      });
      if (!isCurrent) return;
      const added = read.filter(({ openedAtMs }) => openedAtMs < oldest.openedAtMs);
      isOldest = added.length === 0;
      all = [...added, ...all];
      if (pointed !== undefined) pointed += added.length;
      if (added.length > 0) setAll();
    };
    let again: ReturnType<typeof setTimeout> | undefined;
    const begin = (): void => {
      first().then(
        () => isCurrent && onFailure(undefined),
        (reason: unknown) => {
          if (!isCurrent) return;
          onFailure(reason);
          again = setTimeout(begin, AGAIN_MS);
        },
      );
    };
    begin();
    const onRange = (range: { readonly from: number } | null): void => {
      if (range !== null && range.from < OLDER_FROM) void older().catch(() => undefined);
    };
    chart.timeScale().subscribeVisibleLogicalRangeChange(onRange);
    const repaint = (): void => {
      volumeBar = volumeOf(tokens());
      ends = endsOf(tokens());
      paint(plot);
      setAll();
    };
    const stops = [live.subscribe(follow), settings.subscribe(repaint)];
    return () => {
      isCurrent = false;
      clearTimeout(again);
      clearTimeout(mending);
      onFailure(undefined);
      for (const stop of stops) stop();
      choice.current = NO_CHOICE;
      chart.unsubscribeCrosshairMove(onCrosshair);
      chart.timeScale().unsubscribeVisibleLogicalRangeChange(onRange);
    };
  }, [plot, marketCode, timeframe, tickSize]);
  return choice;
}

/** Binary search: candles are sorted by time. */
function indexAt(all: readonly LiveCandle[], openedAtMs: number): number {
  let [low, high] = [0, all.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const ms = all[middle]?.openedAtMs ?? 0;
    if (ms === openedAtMs) return middle;
    if (ms < openedAtMs) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** The mark price as a line, from the moment the page was opened: the venue keeps trades, not marks. */
export function useMarkLine(
  plot: Plot | undefined,
  market: Market,
  timeframe: Timeframe,
  isMark: boolean,
): void {
  const { marketCode } = market;
  useEffect(() => {
    if (plot === undefined) return undefined;
    const { mark, candles } = plot;
    mark.applyOptions({ visible: isMark });
    candles.applyOptions({ priceLineVisible: !isMark, lastValueVisible: !isMark });
    mark.setData([]);
    if (!isMark) return undefined;
    const span = spanOf(timeframe);
    let before = '';
    const follow = (): void => {
      const text = live.get().tickers[marketCode]?.markPrice;
      if (text === undefined || text === before) return;
      before = text;
      mark.update({ time: timeOf(Math.floor(venueNowMs() / span) * span), value: Number(text) });
    };
    follow();
    return live.subscribe(follow);
  }, [plot, marketCode, timeframe, isMark]);
}
