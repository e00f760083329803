import './tape.css';
import { useEffect, useRef, useState } from 'react';
import { Icon } from '../../shared/icons.tsx';
import { clockText, decimalsOf, shown, type TimeZone } from '../../shared/number-text.ts';
import { settings } from '../../shared/settings.ts';
import { useStore } from '../../shared/store.ts';
import { paced, rowHeight, rowsIn } from '../canvas.ts';
import { live, type Market } from '../feed.ts';
import { OldSince } from '../old-since.tsx';
import { drawEveryMs } from '../order-book/levels.ts';
import { isSlow } from '../slow-frames.ts';
import { isPhone } from '../ticket/ticket-state.ts';
import { drawTape } from './draw.ts';
import { type Filter, type Sizes, sizesOf, type TapeRow, tapeRows } from './sizes.ts';

/** How often the text beside the canvas is updated. */
const NAMES_MS = 1_000;

const MARK_WORDS = 'LIQ: the first trade after a liquidation was announced';

type Named = {
  readonly rows: readonly TapeRow[];
  readonly sizes: Sizes;
  readonly isEmpty: boolean;
};

/** Drawn on a canvas, with an equivalent table for screen readers. */
export function Tape(props: {
  readonly market: Market;
  readonly oldSince: number | undefined;
  readonly onOther: () => void;
}) {
  const { market, oldSince, onOther } = props;
  const zone = useStore(settings, (all) => all.zone);
  const [filter, setFilter] = useState<Filter>('all');
  const area = useRef<HTMLDivElement>(null);
  const { rows, sizes, isEmpty } = useDrawn(area, market, filter);
  const hasMark = rows.some(({ isAfterLiquidation }) => isAfterLiquidation === true);
  const least = (size: number): string =>
    Number.isFinite(size) ? ` ≥ ${shown(String(size), decimalsOf(market.minSize))}` : '';
  return (
    <section className="tape panel" aria-label="Trades">
      <div className="bar">
        <h2 className="ttl">Trades</h2>
        <button type="button" className="btn s ghost other" onClick={onOther}>
          Order book
        </button>
        <OldSince ms={oldSince} />
        <span className="grow" />
        <label className="mini">
          <span className="sr">Sizes shown</span>
          <select value={filter} onChange={(event) => setFilter(event.target.value as Filter)}>
            <option value="all">All sizes</option>
            <option value="half">Upper half{least(sizes.half)}</option>
            <option value="large">Large only{least(sizes.large)}</option>
          </select>
          <Icon name="down" />
        </label>
      </div>
      <div className="cols" aria-hidden="true">
        <span>
          Price <em>{market.counter}</em>
        </span>
        <span>
          Size <em>{market.base}</em>
        </span>
        <span>
          Time <em>{zone === 'utc' ? 'UTC' : ''}</em>
        </span>
      </div>
      <div className="list" ref={area} title={hasMark ? MARK_WORDS : undefined}>
        <canvas className="drawn" />
        {rows.length === 0 ? (
          <p className="none">{isEmpty ? 'No trades yet.' : 'None of this size yet.'}</p>
        ) : (
          <Words {...{ rows, market, zone }} />
        )}
      </div>
    </section>
  );
}

/** Draws what arrives, and returns what is drawn once a second. */
function useDrawn(
  area: React.RefObject<HTMLDivElement | null>,
  market: Market,
  filter: Filter,
): Named {
  const [named, setNamed] = useState<Named>(() => namedOf(filter, 0));
  useEffect(() => {
    let latest = namedOf(filter, 0);
    const name = (): void => setNamed(latest);
    const draw = (): void => {
      const before = latest;
      latest = namedOf(filter, rowsIn(area.current));
      const canvas = area.current?.querySelector('canvas');
      if (canvas !== null && canvas !== undefined) {
        drawTape(canvas, {
          ...{ rows: latest.rows, rowHeight: rowHeight(), zone: settings.get().zone },
          priceDecimals: decimalsOf(market.tickSize),
          sizeDecimals: decimalsOf(market.minSize),
        });
      }
      // The "no trades" text disappears with the first one.
      if ((before.rows.length === 0) !== (latest.rows.length === 0)) name();
    };
    const { onChange, stop } = paced(draw, () =>
      drawEveryMs({ isResting: false, isPhone: isPhone(), isSlow: isSlow.get() }),
    );
    draw();
    name();
    let { tape } = live.get();
    const onUpdate = (): void => {
      if (live.get().tape === tape) return;
      tape = live.get().tape;
      onChange();
    };
    const stops = [live.subscribe(onUpdate), settings.subscribe(onChange)];
    const naming = setInterval(name, NAMES_MS);
    const resized = new ResizeObserver(() => {
      draw();
      name();
    });
    if (area.current !== null) resized.observe(area.current);
    return () => {
      for (const one of stops) one();
      clearInterval(naming);
      stop();
      resized.disconnect();
    };
  }, [area, market, filter]);
  return named;
}

function namedOf(filter: Filter, count: number): Named {
  const { tape } = live.get();
  const sizes = sizesOf(tape);
  return { rows: tapeRows(tape, sizes, { filter, count }), sizes, isEmpty: tape.length === 0 };
}

function Words(props: {
  readonly rows: readonly TapeRow[];
  readonly market: Market;
  readonly zone: TimeZone;
}) {
  const { rows, market, zone } = props;
  return (
    <table className="sr" aria-label="Last trades">
      <thead>
        <tr>
          <th scope="col">Side</th>
          <th scope="col">{`Price ${market.counter}`}</th>
          <th scope="col">{`Size ${market.base}`}</th>
          <th scope="col">Time</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows stand still, trades move through them
          <tr key={place}>
            <td>
              {row.side === 'BUY' ? 'Buy' : 'Sell'}
              {row.isAfterLiquidation === true ? ', first after an announced liquidation' : ''}
            </td>
            <td>{shown(row.price, decimalsOf(market.tickSize))}</td>
            <td>{shown(row.quantity, decimalsOf(market.minSize))}</td>
            <td>{clockText(row.atMs, zone)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
