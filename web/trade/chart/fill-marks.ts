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
    const markers = createSeriesMarkers<Time>(plot.candles, []);
    const known = new Map<string, Fill>();
    const scale = plot.chart.timeScale();
    let shown = '';
    const draw = (): void => {
      const range = scale.getVisibleRange();
      if (range === null) return;
      const fromMs = Number(range.from) * 1_000;
      const toMs = Number(range.to) * 1_000;
      const marks = marksOf([...known.values()], spanOf(timeframe), { fromMs, toMs });
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
        const id = `${fill.matchId}${fill.side}`;
        known.set(id, { id, isBuy: fill.side === 'BUY', atMs: fill.atMs });
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
        for (const { matchId, side, matchedAt } of rows) {
          const id = `${matchId}${side}`;
          known.set(id, { id, isBuy: side === 'BUY', atMs: Number(matchedAt) });
        }
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
