import './chart.css';
import { useEffect, useRef, useState } from 'react';
import { Icon } from '../../shared/icons.tsx';
import { Messages } from '../../shared/messages.tsx';
import { clockText, decimalsOf, grouped, percentText } from '../../shared/number-text.ts';
import { sessions } from '../../shared/session.ts';
import { useStore } from '../../shared/store.ts';
import { Choice } from '../../shared/tabs.tsx';
import { chooseTimeframe, chosen, type Market, TIMEFRAMES } from '../feed.ts';
import type { LiveCandle } from '../live-state.ts';
import { type Timeframe, useCandles, useMarkLine } from './candles.ts';
import { DepthChart } from './depth.tsx';
import { useFillMarks } from './fill-marks.ts';
import { OwnLines } from './own-lines.tsx';
import { makePlot, type Plot } from './plot.ts';

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
  useEffect(() => {
    if (box.current === null) return undefined;
    const made = makePlot(box.current);
    setPlot(made);
    return () => {
      setPlot(undefined);
      made.chart.remove();
    };
  }, []);
  useCandles(plot, market, timeframe, setLegend);
  useMarkLine(plot, market, timeframe, source === 'mark');
  useFillMarks(plot, market, timeframe, session);
  const toggleFull = (): void => {
    if (document.fullscreenElement === null) void panel.current?.requestFullscreen();
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
      <div className={isDepth ? 'canvas show-depth' : 'canvas'}>
        <Legend candle={legend} market={market} />
        {oldSince === undefined ? null : (
          <span className="old chip warn">Prices of {clockText(oldSince)} UTC</span>
        )}
        <div className="plot" ref={box} role="img" aria-label={`Candles of ${market.name}`} />
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
        Vol <b>{grouped(candle.volume.toFixed(1))}</b>
      </span>
    </div>
  );
}
