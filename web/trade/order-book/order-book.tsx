import './order-book.css';
import { useEffect, useRef, useState } from 'react';
import { Icon } from '../../shared/icons.tsx';
import { decimalsOf, shown, typedNumber } from '../../shared/number-text.ts';
import { settings } from '../../shared/settings.ts';
import { useStore } from '../../shared/store.ts';
import { Choice } from '../../shared/tabs.tsx';
import { paced, rowHeight, rowsIn } from '../canvas.ts';
import { book, live, type Market } from '../feed.ts';
import { OldSince } from '../old-since.tsx';
import { isSlow } from '../slow-frames.ts';
import { changeTicket, isPhone, ticket } from '../ticket/ticket-state.ts';
import { drawSide } from './draw.ts';
import { bidShare, drawEveryMs, GROUPS, type Row, rowPrice, rowsOf } from './levels.ts';
import { ownPrices } from './own-prices.ts';

type Shown = 'both' | 'bids' | 'asks';
const SIDES = [
  { name: 'both', label: <span className="g both" />, title: 'Both sides' },
  { name: 'bids', label: <span className="g bids" />, title: 'Bids' },
  { name: 'asks', label: <span className="g asks" />, title: 'Asks' },
] as const;

const NAMES_MS = 1_000;

/** Price, size and total on two canvases, with real buttons above them as rows. */
export function OrderBook(props: {
  readonly market: Market;
  readonly oldSince: number | undefined;
  readonly onOther: () => void;
}) {
  const { market, oldSince, onOther } = props;
  const [group, setGroup] = useState<number>(1);
  const [sides, setSides] = useState<Shown>('both');
  const tick = Number(market.tickSize);
  const decimals = decimalsOf(market.tickSize);
  return (
    <section className="book panel" aria-label="Order book">
      <div className="bar">
        <h2 className="ttl">
          <span className="wide">Order </span>book
        </h2>
        <button type="button" className="btn s ghost other" onClick={onOther}>
          Trades
        </button>
        <OldSince ms={oldSince} />
        <span className="grow" />
        <Choice
          className="sides"
          label="Sides shown"
          options={SIDES}
          chosen={sides}
          onChoose={setSides}
        />
        <label className={isFine(decimals) ? 'mini long' : 'mini'}>
          <span className="sr">Grouping</span>
          <select value={group} onChange={(event) => setGroup(Number(event.target.value))}>
            {GROUPS.map((ticks) => (
              <option key={ticks} value={ticks}>
                {(ticks * tick).toFixed(decimals)}
              </option>
            ))}
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
          Total <em>{market.base}</em>
        </span>
      </div>
      <Ladder market={market} group={group} sides={sides} />
    </section>
  );
}

type LadderProps = { readonly market: Market; readonly group: number; readonly sides: Shown };
type Sides = { readonly asks: readonly Row[]; readonly bids: readonly Row[] };

function Ladder({ market, group, sides }: LadderProps) {
  const askArea = useRef<HTMLDivElement>(null);
  const bidArea = useRef<HTMLDivElement>(null);
  const latest = useRef<Sides>({ asks: [], bids: [] });
  const isResting = useRef(false);
  /** The labels of the buttons; updated once a second. */
  const [named, setNamed] = useState<Sides>({ asks: [], bids: [] });
  useEffect(() => {
    const draw = (): void => {
      latest.current = drawBook(market, group, [askArea.current, bidArea.current]);
    };
    const { onChange, stop } = paced(draw, () =>
      drawEveryMs({ isResting: isResting.current, isPhone: isPhone(), isSlow: isSlow.get() }),
    );
    const name = (): void => setNamed(latest.current);
    draw();
    name();
    const stops = [book, live, settings, ticket].map((store) => store.subscribe(onChange));
    const naming = setInterval(name, NAMES_MS);
    const resized = new ResizeObserver(() => {
      draw();
      name();
    });
    if (askArea.current !== null) resized.observe(askArea.current);
    if (bidArea.current !== null) resized.observe(bidArea.current);
    return () => {
      for (const stop of stops) stop();
      clearInterval(naming);
      stop();
      resized.disconnect();
    };
  }, [market, group]);
  const rest = (is: boolean) => () => {
    isResting.current = is;
  };
  const choose = (isBid: boolean, at: number, withSize: boolean): void => {
    const row = (isBid ? latest.current.bids : latest.current.asks)[at];
    if (row === undefined) return;
    const size = row.total.toFixed(decimalsOf(market.minSize));
    changeTicket({
      price: row.price.toFixed(decimalsOf(market.tickSize)),
      ...(withSize ? { size, isWorth: false, isAmount: false } : {}),
    });
  };
  return (
    <div className={`ladder ${sides}`} onPointerEnter={rest(true)} onPointerLeave={rest(false)}>
      <div className="side asks" ref={askArea}>
        <canvas className="drawn" />
        <LevelButtons rows={named.asks} isBid={false} market={market} onChoose={choose} />
      </div>
      <Middle market={market} />
      <div className="side bids" ref={bidArea}>
        <canvas className="drawn" />
        <LevelButtons rows={named.bids} isBid={true} market={market} onChoose={choose} />
      </div>
      <BalanceBar share={bidShare(named.bids, named.asks)} />
    </div>
  );
}

function drawBook(
  market: Market,
  group: number,
  [askArea, bidArea]: readonly (HTMLDivElement | null)[],
): Sides {
  const { asks, bids } = book.get();
  const tick = Number(market.tickSize);
  const shownAsks = rowsOf(asks, { tick, group, isBid: false, count: rowsIn(askArea) });
  const shownBids = rowsOf(bids, { tick, group, isBid: true, count: rowsIn(bidArea) });
  const largestTotal = Math.max(shownAsks.at(-1)?.total ?? 0, shownBids.at(-1)?.total ?? 0, 1e-12);
  const shared = {
    ...{ rowHeight: rowHeight(), largestTotal },
    priceDecimals: decimalsOf(market.tickSize),
    sizeDecimals: decimalsOf(market.minSize),
  };
  const own = ownPrices(live.get().orders, market.marketCode);
  const typed = typedNumber(ticket.get().price);
  for (const [area, rows, isBid] of [
    [askArea, shownAsks, false],
    [bidArea, shownBids, true],
  ] as const) {
    const inRow = (price: number): number => rowPrice(price, { tick, group, isBid });
    const marks = {
      own: new Set(own[isBid ? 'bids' : 'asks'].map(inRow)),
      ticketPrice: typed === undefined ? undefined : inRow(Number(typed)),
    };
    const canvas = area?.querySelector('canvas');
    if (canvas !== null && canvas !== undefined)
      drawSide(canvas, { ...shared, ...marks, rows, isBid });
  }
  return { asks: shownAsks, bids: shownBids };
}

function LevelButtons(props: {
  readonly rows: readonly Row[];
  readonly isBid: boolean;
  readonly market: Market;
  readonly onChoose: (isBid: boolean, at: number, withSize: boolean) => void;
}) {
  const { rows, isBid, market, onChoose } = props;
  const decimals = decimalsOf(market.tickSize);
  const nameOf = ({ price, quantity }: Row): string =>
    `${isBid ? 'Bid' : 'Ask'} ${price.toFixed(decimals)}, size ${quantity.toFixed(decimalsOf(market.minSize))}`;
  const buttons = rows.map((row, at) => (
    <button
      type="button"
      // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place, whatever price stands there
      key={at}
      className="lv"
      tabIndex={at === 0 ? 0 : -1}
      aria-label={nameOf(row)}
      // A figure of more digits may stand there cut.
      title={nameOf(row).length > LONG_NAME ? nameOf(row) : undefined}
      onClick={(event) => onChoose(isBid, at, event.shiftKey)}
      onKeyDown={(event) => {
        const away = isBid ? 'ArrowDown' : 'ArrowUp';
        const near = isBid ? 'ArrowUp' : 'ArrowDown';
        if (event.key !== away && event.key !== near) return;
        event.preventDefault();
        const here = event.currentTarget;
        const isNext = (event.key === away) === isBid;
        const next = isNext ? here.nextElementSibling : here.previousElementSibling;
        if (next instanceof HTMLButtonElement) next.focus();
      }}
    />
  ));
  return <>{isBid ? buttons : buttons.reverse()}</>;
}

/** Prices so fine that what stands beside them has to make room. */
const isFine = (decimals: number): boolean => decimals > 5;

/** "Bid 100000.0, size 10000.000" */
const LONG_NAME = 28;

function Middle({ market }: { readonly market: Market }) {
  const ticker = useStore(live, ({ tickers }) => tickers[market.marketCode]);
  const tape = useStore(live, (state) => state.tape);
  const sides = useStore(book, (both) => both);
  const decimals = decimalsOf(market.tickSize);
  const ask = sides.asks[0]?.[0];
  const bid = sides.bids[0]?.[0];
  const spread = ask === undefined || bid === undefined ? undefined : ask - bid;
  const isDown = tape[0]?.side === 'SELL';
  const last = tape[0]?.price ?? ticker?.last;
  const isUntraded = last === undefined || Number(last) === 0;
  // Reserves the space of a price, so that the first one moves nothing.
  const markPrice = ticker?.markPrice ?? market.markPrice;
  const room = `${shown(markPrice, decimals).length - 0.5}ch`;
  return (
    <div className="mid">
      <span className="now">
        <b className={`num ${isDown ? 'sell' : 'buy'}`}>
          {isUntraded ? (
            <span className="untraded" style={{ minWidth: room }}>
              —
            </span>
          ) : (
            shown(last, decimals)
          )}{' '}
          <span aria-hidden="true" style={{ visibility: isUntraded ? 'hidden' : 'visible' }}>
            {isDown ? '▼' : '▲'}
          </span>
        </b>
        <span className="t3 num pair">
          <span>Mark</span>
          <span>{shown(markPrice, decimals + 1)}</span>
        </span>
      </span>
      {spread === undefined || bid === undefined ? null : (
        <span
          className="t3 num pair"
          style={isFine(decimals) ? undefined : { minWidth: `${spreadCh(decimals)}ch` }}
          title={`Spread ${shown(spread.toFixed(decimals), decimals)}`}
        >
          <span>{`Spread ${shown(spread.toFixed(decimals), decimals)}`}</span>
          <span>{`${basisPoints(spread / bid)} bp`}</span>
        </span>
      )}
    </div>
  );
}

/** Room for three digits before the point, so that the text begins at the same place. */
const spreadCh = (decimals: number): number => 9.5 + (decimals === 0 ? 0 : 0.5 + decimals);

/** As many digits as there is room for. */
function basisPoints(part: number): string {
  const points = part * 10_000;
  return points.toFixed(points < 10 ? 2 : points < 100 ? 1 : 0);
}

function BalanceBar({ share }: { readonly share: number | undefined }) {
  const width = share ?? 50;
  return (
    <div className="balance">
      <span className="buy num">{share === undefined ? '—' : `${share} %`}</span>
      <span className="b">
        <i style={{ width: `${width}%` }} />
      </span>
      <span className="sell num">{share === undefined ? '—' : `${100 - share} %`}</span>
    </div>
  );
}
