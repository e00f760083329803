import {
  CandlestickSeries,
  createChart,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  type Time,
} from 'lightweight-charts';
import { grouped, type TimeZone, timeText } from '../../shared/number-text.ts';
import { markText } from './times.ts';
import { tokens } from './tokens.ts';

/** The chart library's objects, and everything about them that is not data. */
export type Plot = {
  readonly chart: IChartApi;
  readonly candles: ISeriesApi<'Candlestick'>;
  readonly volume: ISeriesApi<'Histogram'>;
  readonly mark: ISeriesApi<'Line'>;
  /** A line of closing prices, instead of the candles. */
  readonly line: ISeriesApi<'Line'>;
};

export function makePlot(box: HTMLElement): Plot {
  const chart = createChart(box, {
    autoSize: true,
    // Some systems report languages that the browser itself does not support.
    localization: { locale: 'en-US' },
    layout: { attributionLogo: false, fontSize: 11 },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.12, bottom: 0.18 } },
    timeScale: {
      borderVisible: false,
      timeVisible: true,
      secondsVisible: false,
      rightOffset: 6,
      barSpacing: 7,
    },
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
  const mark = chart.addSeries(LineSeries, {
    lineWidth: 1,
    visible: false,
    crosshairMarkerVisible: false,
    priceLineStyle: 1,
  });
  const line = chart.addSeries(LineSeries, {
    lineWidth: 2,
    visible: false,
    crosshairMarkerVisible: false,
    priceLineStyle: 1,
  });
  const plot = { chart, candles, volume, mark, line };
  paint(plot);
  return plot;
}

/** Prices with the tick's decimals, thousands separated as everywhere on the page. */
export function setTick(
  { chart, candles, mark, line }: Plot,
  tickSize: string,
  decimals: number,
): void {
  const priceFormat = { type: 'price', precision: decimals, minMove: Number(tickSize) } as const;
  candles.applyOptions({ priceFormat });
  mark.applyOptions({ priceFormat });
  line.applyOptions({ priceFormat });
  chart.applyOptions({
    localization: { priceFormatter: (price: number) => grouped(price.toFixed(decimals)) },
  });
}

/** Times of the axis and the crosshair: UTC, or the user's time zone. */
export function setZone({ chart }: Plot, zone: TimeZone, isDaily: boolean): void {
  chart.applyOptions({
    timeScale: {
      tickMarkFormatter: (time: Time, kind: number) =>
        markText(Number(time) * 1_000, { kind, zone, isDaily }),
    },
    localization: {
      timeFormatter: (time: Time) => timeText(Number(time) * 1_000, zone).slice(0, 16),
    },
  });
}

/** Colours come from the tokens; up candles are hollow, so that colour is not the only difference. */
export function paint({ chart, candles, mark, line }: Plot): void {
  const of = tokens();
  chart.applyOptions({
    layout: {
      background: { color: of('--panel') },
      textColor: of('--text-2'),
      fontFamily: of('--font'),
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
  mark.applyOptions({ color: of('--warn') });
  line.applyOptions({ color: of('--accent') });
}
