import { createSeriesMarkers, type SeriesMarker, type Time } from 'lightweight-charts';
import { useEffect } from 'react';
import { clientOf, type Session } from '../../shared/session.ts';
import { settings } from '../../shared/settings.ts';
import { windowStart } from '../../shared/venue-clock.ts';
import { live, type Market } from '../feed.ts';
import { spanOf, type Timeframe, timeOf } from './candles.ts';
import { type Fill, marksOf } from './places.ts';
import type { Plot } from './plot.ts';
import { tokens } from './tokens.ts';

const PAGE = '200';

/** Own fills as arrows below and above their candles, for the visible range only. */
export function useFillMarks(
  plot: Plot | undefined,
  market: Market,
  timeframe: Timeframe,
  session: Session | undefined,
): void {
  const { marketCode } = market;
  useEffect(() => {
    if (plot === undefined || session === undefined) return undefined;
    const span = spanOf(timeframe);
    const markers = createSeriesMarkers<Time>(plot.candles, []);
    // One for each candle and side: a program may fill thousands in one.
    const known = new Map<string, Fill>();
    const note = (isBuy: boolean, atMs: number): void => {
      const openedAtMs = Math.floor(atMs / span) * span;
      const id = `${openedAtMs}${isBuy}`;
      known.set(id, { id, isBuy, atMs: openedAtMs });
    };
    const scale = plot.chart.timeScale();
    let shown = '';
    const draw = (): void => {
      const range = scale.getVisibleRange();
      if (range === null) return;
      const fromMs = Number(range.from) * 1_000;
      const toMs = Number(range.to) * 1_000;
      const marks = marksOf([...known.values()], span, { fromMs, toMs });
      const color = tokens()('--accent');
      const text = `${color}${JSON.stringify(marks)}`;
      if (text === shown) return;
      shown = text;
      markers.setMarkers(
        marks.map(
          ({ openedAtMs, isBuy }): SeriesMarker<Time> => ({
            time: timeOf(openedAtMs),
            position: isBuy ? 'belowBar' : 'aboveBar',
            shape: isBuy ? 'arrowUp' : 'arrowDown',
            color,
          }),
        ),
      );
    };
    let newest: unknown;
    const follow = (): void => {
      const { fills } = live.get();
      if (fills === newest) return;
      newest = fills;
      for (const fill of fills) {
        if (fill.marketCode !== marketCode) continue;
        note(fill.side === 'BUY', fill.atMs);
      }
      draw();
    };
    let isCurrent = true;
    clientOf(session)
      .trades({
        ...{ marketCode, limit: PAGE },
        startTime: windowStart(),
      })
      .then((rows) => {
        if (!isCurrent) return;
        for (const { side, matchedAt } of rows) note(side === 'BUY', Number(matchedAt));
        draw();
      })
      .catch(() => undefined);
    follow();
    scale.subscribeVisibleTimeRangeChange(draw);
    const stops = [live.subscribe(follow), settings.subscribe(draw)];
    return () => {
      isCurrent = false;
      for (const stop of stops) stop();
      scale.unsubscribeVisibleTimeRangeChange(draw);
      markers.detach();
    };
  }, [plot, marketCode, timeframe, session]);
}
