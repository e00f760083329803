import type { UTCTimestamp } from 'lightweight-charts';
import { useEffect } from 'react';
import { decimalsOf } from '../../shared/number-text.ts';
import { publicClient } from '../../shared/session.ts';
import { settings } from '../../shared/settings.ts';
import { live, type Market, type TIMEFRAMES } from '../feed.ts';
import type { LiveCandle } from '../live-state.ts';
import { type Plot, paint, setTick } from './plot.ts';
import { tokens } from './tokens.ts';

export type Timeframe = (typeof TIMEFRAMES)[number]['name'];

const PAGE = 500;
const FIRST_SHOWN = 110;
const EMPTY_AFTER = 6;
const OLDER_FROM = 10;

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

async function readCandles(
  market: Market,
  timeframe: Timeframe,
  beforeMs?: number,
): Promise<LiveCandle[]> {
  // Up to the running interval the venue gives its own window; older ones are asked for by time.
  const endMs = beforeMs ?? Date.now() + 60_000;
  const rows = await publicClient.candles({
    marketCode: market.marketCode,
    ...{ timeframe, limit: String(PAGE) },
    ...{
      startTime: String(Math.max(0, endMs - spanOf(timeframe) * PAGE)),
      endTime: String(endMs),
    },
  });
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

/** History by REST, the running interval by the stream, older candles when one scrolls there. */
export function useCandles(
  plot: Plot | undefined,
  market: Market,
  timeframe: Timeframe,
  onLegend: (candle: LiveCandle | undefined) => void,
): void {
  const { marketCode, tickSize } = market;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a market is told apart by its code
  useEffect(() => {
    if (plot === undefined) return undefined;
    let isCurrent = true;
    let all: LiveCandle[] = [];
    let isOldest = false;
    let isReading = true;
    let volumeBar = volumeOf(tokens());
    const { candles, volume, chart } = plot;
    setTick(plot, tickSize, decimalsOf(tickSize));
    const setAll = (): void => {
      candles.setData(all.map(barOf));
      volume.setData(all.map(volumeBar));
    };
    setAll();
    let drawn: LiveCandle | undefined;
    const follow = (): void => {
      const { candle } = live.get();
      const last = all.at(-1);
      if (candle === undefined || last === undefined || candle === drawn) return;
      if (candle.openedAtMs < last.openedAtMs) return;
      drawn = candle;
      if (candle.openedAtMs === last.openedAtMs) all[all.length - 1] = candle;
      else all.push(candle);
      candles.update(barOf(candle));
      volume.update(volumeBar(candle));
      onLegend(candle);
    };
    const first = async (): Promise<void> => {
      const read = await readCandles(market, timeframe);
      if (!isCurrent) return;
      all = read;
      setAll();
      onLegend(all.at(-1));
      const from = all.length - FIRST_SHOWN;
      chart.timeScale().setVisibleLogicalRange({ from, to: all.length + EMPTY_AFTER });
      isReading = false;
      follow();
    };
    const older = async (): Promise<void> => {
      const oldest = all[0];
      if (oldest === undefined || isReading || isOldest) return;
      isReading = true;
      const read = await readCandles(market, timeframe, oldest.openedAtMs - 1);
      if (!isCurrent) return;
      const added = read.filter(({ openedAtMs }) => openedAtMs < oldest.openedAtMs);
      isOldest = added.length === 0;
      all = [...added, ...all];
      if (added.length > 0) setAll();
      isReading = false;
    };
    void first().catch(() => undefined);
    const onRange = (range: { readonly from: number } | null): void => {
      if (range !== null && range.from < OLDER_FROM) void older().catch(() => undefined);
    };
    chart.timeScale().subscribeVisibleLogicalRangeChange(onRange);
    const repaint = (): void => {
      volumeBar = volumeOf(tokens());
      paint(plot);
      setAll();
    };
    const stops = [live.subscribe(follow), settings.subscribe(repaint)];
    return () => {
      isCurrent = false;
      for (const stop of stops) stop();
      chart.timeScale().unsubscribeVisibleLogicalRangeChange(onRange);
    };
  }, [plot, marketCode, timeframe, tickSize]);
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
      mark.update({ time: timeOf(Math.floor(Date.now() / span) * span), value: Number(text) });
    };
    follow();
    return live.subscribe(follow);
  }, [plot, marketCode, timeframe, isMark]);
}
