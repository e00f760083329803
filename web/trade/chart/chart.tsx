import './chart.css';
import { type CSSProperties, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Icon } from '../../shared/icons.tsx';
import { reasonText } from '../../shared/messages.tsx';
import {
  clockText,
  decimalsOf,
  grouped,
  percentText,
  type TimeZone,
  timeText,
  visible,
} from '../../shared/number-text.ts';
import { sessions } from '../../shared/session.ts';
import { settings } from '../../shared/settings.ts';
import { useStore } from '../../shared/store.ts';
import { Choice } from '../../shared/tabs.tsx';
import { chooseTimeframe, chosen, type Market, TIMEFRAMES } from '../feed.ts';
import type { LiveCandle } from '../live-state.ts';
import { type BarChoice, type Timeframe, useCandles, useMarkLine } from './candles.ts';
import { DepthChart } from './depth.tsx';
import { useFillMarks } from './fill-marks.ts';
import { LayersMenu, layers } from './layers.tsx';
import { OwnLines } from './own-lines.tsx';
import { makePlot, type Plot, setZone } from './plot.ts';
import { zoneWord } from './times.ts';

/** Its candles are UTC days, whatever time zone is shown. */
const DAY: Timeframe = '86400s';

const SOURCES = [
  { name: 'last', label: 'Last' },
  { name: 'mark', label: 'Mark' },
] as const;

export function Chart(props: { readonly market: Market; readonly oldSince: number | undefined }) {
  const { market, oldSince } = props;
  const timeframe = useStore(chosen, (view) => view.timeframe) as Timeframe;
  const session = useStore(sessions, (signed) => signed.session);
  const box = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLElement>(null);
  const [plot, setPlot] = useState<Plot>();
  const [legend, setLegend] = useState<LiveCandle>();
  const [source, setSource] = useState<'last' | 'mark'>('last');
  const [isDepth, setDepth] = useState(false);
  const { isLine, hasVolume, hasFills } = useStore(layers, (all) => all);
  const [failure, setFailure] = useState<unknown>();
  const choice = useCandles(plot, market, timeframe, { legend: setLegend, failure: setFailure });
  useMarkLine(plot, market, timeframe, source === 'mark');
  useFillMarks(plot, market, timeframe, hasFills ? session : undefined);
  useEffect(() => {
    plot?.candles.applyOptions({ visible: !isLine });
    plot?.line.applyOptions({ visible: isLine });
    plot?.volume.applyOptions({ visible: hasVolume });
  }, [plot, isLine, hasVolume]);
  const zone = useStore(settings, (all) => all.zone);
  useEffect(() => {
    if (plot !== undefined) setZone(plot, zone, timeframe === DAY);
  }, [plot, zone, timeframe]);
  // The last effect, because it is also the last to be cleaned up: those above still need the chart.
  useEffect(() => {
    if (box.current === null) return undefined;
    const made = makePlot(box.current);
    setPlot(made);
    return () => {
      setPlot(undefined);
      made.chart.remove();
    };
  }, []);
  const toggleFull = (): void => {
    // Including the messages beside it.
    if (document.fullscreenElement === null) void panel.current?.parentElement?.requestFullscreen();
    else void document.exitFullscreen();
  };
  return (
    <section className="chart panel" aria-label="Chart" ref={panel}>
      <div className="bar">
        <Choice
          className="tfs"
          label="Time frame"
          options={TIMEFRAMES}
          optionClass={() => 'tf'}
          chosen={timeframe}
          onChoose={chooseTimeframe}
        />
        <LayersMenu />
        <span className="grow" />
        <Choice
          className="seg desk"
          label="Price shown"
          options={SOURCES}
          chosen={source}
          onChoose={setSource}
        />
        <button
          type="button"
          className="btn s ghost desk"
          aria-pressed={isDepth}
          onClick={() => setDepth(!isDepth)}
        >
          Depth
        </button>
        <button
          type="button"
          className="btn s icon ghost desk"
          aria-label="Chart on the whole screen"
          onClick={toggleFull}
        >
          <Icon name="full" />
        </button>
      </div>
      <div
        className={isDepth ? 'canvas show-depth' : 'canvas'}
        // When the pointer leaves over a label, the chart itself does not notice.
        onPointerLeave={() => choice.current.leave()}
      >
        <Legend candle={legend} market={market} />
        {oldSince === undefined ? null : (
          <span className="old chip warn">
            Prices of {clockText(oldSince, zone)}
            {zoneWord(zone)}
          </span>
        )}
        <div
          className="plot"
          ref={box}
          role="slider"
          tabIndex={0}
          aria-label={`Candles of ${market.name}; arrows choose one`}
          aria-valuenow={legend === undefined ? 0 : legend.openedAtMs}
          aria-valuetext={legend === undefined ? 'none yet' : barText(legend, market, zone)}
          onKeyDown={(event) => onBarKey(event, choice.current)}
          onBlur={() => choice.current.leave()}
        />
        {failure === undefined ? null : (
          <p className="failed chip warn" role="alert">
            No candles: {reasonText(failure)}. They are asked for again every 5 s.
          </p>
        )}
        {plot === undefined ? null : <OwnLines plot={plot} market={market} />}
        {isDepth ? <DepthChart market={market} /> : null}
        <a
          className="by"
          href="https://www.tradingview.com/"
          target="_blank"
          rel="noreferrer noopener"
        >
          Chart by TradingView
        </a>
      </div>
    </section>
  );
}

const BAR_KEYS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  PageUp: -10,
  PageDown: 10,
};

function onBarKey(event: KeyboardEvent, choice: BarChoice): void {
  const by = BAR_KEYS[event.key];
  if (by !== undefined) choice.step(by);
  else if (event.key === 'Escape') choice.leave();
  else return;
  event.preventDefault();
}

/** The chart as text. */
function barText(candle: LiveCandle, market: Market, zone: TimeZone): string {
  const { openedAtMs, open, high, low, close } = candle;
  const print = (value: number): string => value.toFixed(decimalsOf(market.tickSize));
  return `${timeText(openedAtMs, zone).slice(0, 16)}${zoneWord(zone)}: open ${print(open)}, high ${print(high)}, low ${print(low)}, close ${print(close)}`;
}

function Legend(props: { readonly candle: LiveCandle | undefined; readonly market: Market }) {
  const { candle, market } = props;
  if (candle === undefined) return null;
  const decimals = decimalsOf(market.tickSize);
  const print = (value: number): string => grouped(value.toFixed(decimals));
  const change = candle.close - candle.open;
  // Room for the longest price of the market, so that no figure moves from candle to candle.
  const width = `${Math.max(print(Number(market.markPrice)).length, print(candle.high).length)}ch`;
  return (
    <div className="legend num" style={{ '--price-width': width } as CSSProperties}>
      <span className="desk">
        O <b>{print(candle.open)}</b>
      </span>
      <span className="desk">
        H <b>{print(candle.high)}</b>
      </span>
      <span className="desk">
        L <b>{print(candle.low)}</b>
      </span>
      <span>
        C <b>{print(candle.close)}</b>
      </span>
      <span className={`change ${change < 0 ? 'sell' : 'buy'}`}>
        {`${change < 0 ? '−' : '+'}${print(Math.abs(change))} (${percentText(change / candle.open)})`}
      </span>
      <span>
        Vol <b>{visible(candle.volume.toFixed(8), 1)}</b>
      </span>
    </div>
  );
}
