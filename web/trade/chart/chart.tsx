import './chart.css';
import {
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type UTCTimestamp,
} from 'lightweight-charts';
import { useEffect, useRef, useState } from 'react';
import { Messages } from '../../shared/messages.tsx';
import { clockText, decimalsOf, grouped, percentText } from '../../shared/number-text.ts';
import { publicClient } from '../../shared/session.ts';
import { settings, themeNow } from '../../shared/settings.ts';
import { useStore } from '../../shared/store.ts';
import { Choice } from '../../shared/tabs.tsx';
import { chooseTimeframe, chosen, live, type Market, TIMEFRAMES } from '../feed.ts';
import type { LiveCandle } from '../live-state.ts';
import { OwnLines } from './own-lines.tsx';

type Timeframe = (typeof TIMEFRAMES)[number]['name'];
export type Plot = {
  readonly chart: IChartApi;
  readonly candles: ISeriesApi<'Candlestick'>;
  readonly volume: ISeriesApi<'Histogram'>;
};

const PAGE = 500;

export function Chart(props: { readonly market: Market; readonly oldSince: number | undefined }) {
  const { market, oldSince } = props;
  const timeframe = useStore(chosen, (view) => view.timeframe) as Timeframe;
  const box = useRef<HTMLDivElement>(null);
  const [plot, setPlot] = useState<Plot>();
  const [legend, setLegend] = useState<LiveCandle>();
  useEffect(() => {
    if (box.current === null) return undefined;
    const made = makePlot(box.current);
    setPlot(made);
    const restyle = (): void => paint(made);
    const stop = settings.subscribe(restyle);
    return () => {
      stop();
      setPlot(undefined);
      made.chart.remove();
    };
  }, []);
  useCandles(plot, market, timeframe, setLegend);
  return (
    <section className="chart panel" aria-label="Chart">
      <div className="bar">
        <Choice
          className="tfs"
          label="Time frame"
          options={TIMEFRAMES}
          optionClass={() => 'tf'}
          chosen={timeframe}
          onChoose={chooseTimeframe}
        />
      </div>
      <div className="canvas">
        <Legend candle={legend} market={market} />
        {oldSince === undefined ? null : (
          <span className="old chip warn">Prices of {clockText(oldSince)} UTC</span>
        )}
        <div className="plot" ref={box} role="img" aria-label={`Candles of ${market.name}`} />
        {plot === undefined ? null : <OwnLines plot={plot} market={market} />}
        <a
          className="by"
          href="https://www.tradingview.com/"
          target="_blank"
          rel="noreferrer noopener"
        >
          Chart by TradingView
        </a>
      </div>
      <Messages />
    </section>
  );
}

function Legend(props: { readonly candle: LiveCandle | undefined; readonly market: Market }) {
  const { candle, market } = props;
  if (candle === undefined) return null;
  const decimals = decimalsOf(market.tickSize);
  const print = (value: number): string => grouped(value.toFixed(decimals));
  const change = candle.close - candle.open;
  return (
    <div className="legend num">
      <span className="desk">
        O <b>{print(candle.open)}</b>
      </span>
      <span>
        H <b>{print(candle.high)}</b>
      </span>
      <span>
        L <b>{print(candle.low)}</b>
      </span>
      <span>
        C <b>{print(candle.close)}</b>
      </span>
      <span className={change < 0 ? 'sell' : 'buy'}>
        {change < 0 ? '−' : '+'}
        {print(Math.abs(change))} ({percentText(change / candle.open)})
      </span>
      <span>
        Vol <b>{grouped(candle.volume.toFixed(1))}</b>
      </span>
    </div>
  );
}

function makePlot(box: HTMLElement): Plot {
  const chart = createChart(box, {
    autoSize: true,
    // Some systems name languages that the browser itself cannot read.
    localization: { locale: 'en-US' },
    layout: { attributionLogo: false, fontSize: 11 },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.1, bottom: 0.16 } },
    timeScale: { borderVisible: false, timeVisible: true, rightOffset: 6, barSpacing: 7 },
    crosshair: { mode: 0 },
  });
  const candles = chart.addSeries(CandlestickSeries, { priceLineStyle: 1 });
  const volume = chart.addSeries(HistogramSeries, {
    priceScaleId: 'volume',
    priceFormat: { type: 'volume' },
    lastValueVisible: false,
    priceLineVisible: false,
  });
  volume.priceScale().applyOptions({ scaleMargins: { top: 0.86, bottom: 0 } });
  const plot = { chart, candles, volume };
  paint(plot);
  return plot;
}

/** Colours come from the tokens; up candles are hollow, so that colour is not all there is. */
function paint({ chart, candles }: Plot): void {
  themeNow();
  const style = getComputedStyle(document.documentElement);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  chart.applyOptions({
    layout: {
      background: { color: of('--panel') },
      textColor: of('--text-2'),
      fontFamily: style.getPropertyValue('--font'),
    },
    grid: { vertLines: { color: of('--grid') }, horzLines: { color: of('--grid') } },
  });
  candles.applyOptions({
    upColor: of('--panel'),
    downColor: of('--sell'),
    borderUpColor: of('--buy'),
    borderDownColor: of('--sell'),
    wickUpColor: of('--buy'),
    wickDownColor: of('--sell'),
  });
}

const barOf = ({ openedAtMs, open, high, low, close }: LiveCandle) => ({
  time: (openedAtMs / 1_000) as UTCTimestamp,
  ...{ open, high, low, close },
});

function volumeOf({ openedAtMs, volume, open, close }: LiveCandle) {
  const style = getComputedStyle(document.documentElement);
  const color = style.getPropertyValue(close < open ? '--sell-mid' : '--buy-mid').trim();
  return { time: (openedAtMs / 1_000) as UTCTimestamp, value: volume, color };
}

async function readCandles(
  market: Market,
  timeframe: Timeframe,
  beforeMs?: number,
): Promise<LiveCandle[]> {
  // Up to the running interval the venue gives its own window; older ones are asked for by time.
  const spanMs = Number.parseInt(timeframe, 10) * 1_000 * PAGE;
  const endMs = beforeMs ?? Date.now() + 60_000;
  const rows = await publicClient.candles({
    marketCode: market.marketCode,
    ...{ timeframe, limit: String(PAGE) },
    ...{ startTime: String(Math.max(0, endMs - spanMs)), endTime: String(endMs) },
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
function useCandles(
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
    const { candles, volume, chart } = plot;
    const decimals = decimalsOf(tickSize);
    candles.applyOptions({
      priceFormat: { type: 'price', precision: decimals, minMove: Number(tickSize) },
    });
    const setAll = (): void => {
      candles.setData(all.map(barOf));
      volume.setData(all.map(volumeOf));
    };
    candles.setData([]);
    volume.setData([]);
    const follow = (): void => {
      const { candle } = live.get();
      const last = all.at(-1);
      if (candle === undefined || last === undefined) return;
      if (candle.openedAtMs < last.openedAtMs) return;
      if (candle.openedAtMs === last.openedAtMs) all[all.length - 1] = candle;
      else all.push(candle);
      candles.update(barOf(candle));
      volume.update(volumeOf(candle));
      onLegend(candle);
    };
    const first = async (): Promise<void> => {
      const read = await readCandles(market, timeframe);
      if (!isCurrent) return;
      all = read;
      setAll();
      onLegend(all.at(-1));
      chart.timeScale().setVisibleLogicalRange({ from: all.length - 110, to: all.length + 6 });
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
      if (range !== null && range.from < 10) void older().catch(() => undefined);
    };
    chart.timeScale().subscribeVisibleLogicalRangeChange(onRange);
    const stop = live.subscribe(follow);
    const stopPaint = settings.subscribe(setAll);
    return () => {
      isCurrent = false;
      stop();
      stopPaint();
      chart.timeScale().unsubscribeVisibleLogicalRangeChange(onRange);
    };
  }, [plot, marketCode, timeframe, tickSize]);
}
