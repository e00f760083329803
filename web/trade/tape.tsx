import './tape.css';
import { useMemo, useState } from 'react';
import { Icon } from '../shared/icons.tsx';
import { clockText, decimalsOf, shown } from '../shared/number-text.ts';
import { settings } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import { live, type Market } from './feed.ts';
import type { TapeTrade } from './live-state.ts';
import { OldSince } from './old-since.tsx';

const ROWS_MAX = 60;
/** Sizes above this part of the last trades stand out. */
const LARGE = 0.95;

type Filter = 'all' | 'half' | 'large';
/** Which part of the last trades is left out. */
const PARTS = { half: 0.5, large: LARGE } as const;

export function Tape(props: {
  readonly market: Market;
  readonly oldSince: number | undefined;
  readonly onOther: () => void;
}) {
  const { market, oldSince, onOther } = props;
  const tape = useStore(live, (state) => state.tape);
  const zone = useStore(settings, (all) => all.zone);
  const [filter, setFilter] = useState<Filter>('all');
  const large = useMemo(() => sizeAt(tape, LARGE), [tape]);
  const from = useMemo(() => (filter === 'all' ? 0 : sizeAt(tape, PARTS[filter])), [tape, filter]);
  const rows = tape.filter(({ quantity }) => Number(quantity) >= from);
  const least = (part: number): string => {
    const size = sizeAt(tape, part);
    return Number.isFinite(size) ? ` ≥ ${shown(String(size), decimalsOf(market.minSize))}` : '';
  };
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
            <option value="half">Upper half{least(PARTS.half)}</option>
            <option value="large">Large only{least(PARTS.large)}</option>
          </select>
          <Icon name="down" />
        </label>
      </div>
      <div className="cols">
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
      <div className="list">
        {rows.length === 0 ? (
          <p className="none">{tape.length === 0 ? 'No trades yet.' : 'None of this size yet.'}</p>
        ) : null}
        {rows.slice(0, ROWS_MAX).map((trade, place) => (
          <TapeRow
            // biome-ignore lint/suspicious/noArrayIndexKey: rows stand still, trades move through them
            key={place}
            {...{ trade, market, zone }}
            isLarge={Number(trade.quantity) >= large}
          />
        ))}
      </div>
    </section>
  );
}

function TapeRow(props: {
  readonly trade: TapeTrade;
  readonly market: Market;
  readonly zone: 'utc' | 'local';
  readonly isLarge: boolean;
}) {
  const { trade, market, zone, isLarge } = props;
  const isBuy = trade.side === 'BUY';
  return (
    <div className={isLarge ? 'trade-row large' : 'trade-row'}>
      <span className={isBuy ? 'buy' : 'sell'}>
        <span className="arrow">{isBuy ? '▲' : '▼'}</span>
        {shown(trade.price, decimalsOf(market.tickSize))}
        {trade.isAfterLiquidation === true ? (
          <span className="mark" title="The first trade after a liquidation was announced">
            LIQ
          </span>
        ) : null}
      </span>
      <span>{shown(trade.quantity, decimalsOf(market.minSize))}</span>
      <span>{clockText(trade.atMs, zone)}</span>
    </div>
  );
}

const ENOUGH = 20;

/** The size that this part of the last trades stays below. */
function sizeAt(tape: readonly TapeTrade[], part: number): number {
  if (tape.length < ENOUGH) return Number.POSITIVE_INFINITY;
  const sizes = tape.map(({ quantity }) => Number(quantity)).sort((one, other) => one - other);
  return sizes[Math.floor(sizes.length * part)] ?? Number.POSITIVE_INFINITY;
}
