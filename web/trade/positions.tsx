import {
  decimalsOf,
  distanceText,
  grouped,
  isNegative,
  NONE,
  percentText,
  product,
  shown,
  signed,
  sum,
} from '../shared/number-text.ts';
import { useStore } from '../shared/store.ts';
import { type Column, Table } from '../shared/table.tsx';
import { live, type Market, marketOf, markets } from './feed.ts';
import { liquidationDistance } from './liquidation-price.ts';
import type { Position, Ticker } from './live-state.ts';
import { useLoaded } from './loaded.ts';
import { goToMarket } from './market-address.ts';
import { closeInTicket, stopInTicket } from './ticket/fill-in.ts';
import { type Tier, tierOf, useTiers } from './tiers.ts';
import { useValue } from './value.tsx';

export function Positions({ positions }: { readonly positions: readonly Position[] }) {
  const all = useStore(markets, (list) => list);
  const tickers = useStore(live, (state) => state.tickers);
  const tiers = useTiers();
  const valued = useValue();
  const sums = positions.map((row) => ({
    value: worthOf(row, tickers[row.marketCode]?.markPrice),
    pnl: row.positionPnl,
  }));
  return (
    <Table
      label="Positions"
      columns={columnsOf({ all, tickers, tiers, valued })}
      rows={useLoaded(positions)}
      foot={
        positions.length < 2
          ? undefined
          : {
              Market: `${positions.length} positions`,
              [`Value ${valued('0').unit}`]: valued(sumOf(sums.map(({ value }) => value))).text,
              [`PnL ${valued('0').unit}`]: signed(
                sumOf(sums.map(({ pnl }) => pnl)),
                (text) => valued(text).text,
              ),
            }
      }
      keyOf={({ marketCode }) => marketCode}
      empty={
        <>
          <b>No position</b>
          <span>What you buy or sell on a perpetual market will be here.</span>
        </>
      }
    />
  );
}

/** What a dash stands for. */
const farWords = (price: string): string | undefined =>
  Number(price) > 0 ? `Beyond what the market could reach: ${grouped(price)}` : undefined;

const worthOf = ({ quantity }: Position, mark: string | undefined): string =>
  product(product(quantity.replace('-', ''), mark ?? '0'), '100');

const sumOf = (texts: readonly string[]): string => texts.reduce(sum, '0');

function columnsOf(of: {
  readonly all: readonly Market[];
  readonly tickers: Readonly<Record<string, Ticker>>;
  readonly tiers: ReturnType<typeof useTiers>;
  readonly valued: ReturnType<typeof useValue>;
}): readonly Column<Position>[] {
  const { all, tickers, tiers, valued } = of;
  const market = ({ marketCode }: Position): Market | undefined => marketOf(all, marketCode);
  const price = (row: Position, text: string | undefined, more = 0): string =>
    shown(text, decimalsOf(market(row)?.tickSize ?? '1') + more);
  const mark = ({ marketCode }: Position): string | undefined => tickers[marketCode]?.markPrice;
  const value = (row: Position): string => worthOf(row, mark(row));
  const { unit } = valued('0');
  const text = (native: string): string => valued(native).text;
  return [
    { name: 'Market', show: (row) => <MarketCell row={row} market={market(row)} /> },
    {
      name: 'Size',
      isRight: true,
      show: (row) => shown(row.quantity.replace('-', ''), decimalsOf(market(row)?.minSize ?? '1')),
    },
    {
      name: `Value ${unit}`,
      isRight: true,
      show: (row) => <span title={`${value(row)} OX`}>{valued(value(row)).text}</span>,
    },
    { name: 'Entry', isRight: true, show: (row) => price(row, row.entryPrice, 1) },
    { name: 'Mark', isRight: true, show: (row) => price(row, mark(row), 1) },
    {
      name: 'Liquidation',
      isRight: true,
      show: (row) => {
        const { estLiquidationPrice } = row;
        const distance = liquidationDistance(estLiquidationPrice, Number(mark(row)));
        if (distance === undefined)
          return <span title={farWords(estLiquidationPrice)}>{NONE}</span>;
        return (
          <>
            {price(row, row.estLiquidationPrice)}
            <span className="sub">{distanceText(distance)}</span>
          </>
        );
      },
    },
    {
      name: `PnL ${unit}`,
      isRight: true,
      show: (row) => (
        <>
          <span
            className={isNegative(row.positionPnl) ? 'sell' : 'buy'}
            title={`${row.positionPnl} OX`}
          >
            {signed(row.positionPnl, text)}
          </span>
          <span className="sub" title="Of the initial margin of this position">
            {percentText(returnOf(row, value(row), tiers[row.marketCode] ?? []), 1)}
          </span>
        </>
      ),
    },
    {
      name: 'Actions',
      isHeadHidden: true,
      isRight: true,
      show: (row) => {
        const of = market(row);
        return of === undefined ? null : (
          <span className="acts2">
            <button
              type="button"
              className="btn s"
              onClick={() => {
                goToMarket(row.marketCode);
                stopInTicket(row.quantity, of);
              }}
            >
              Stop
            </button>
            <button
              type="button"
              className="btn s"
              onClick={() => {
                goToMarket(row.marketCode);
                closeInTicket(row.quantity, of);
              }}
            >
              Close
            </button>
          </span>
        );
      },
    },
  ];
}

/** Its return on the margin that its tier requires. */
function returnOf({ positionPnl }: Position, value: string, tiers: readonly Tier[]): number {
  const part = Number(tierOf(tiers, value)?.initialMargin);
  return Number(positionPnl) / (Number(value) * part);
}

const MarketCell = (props: { readonly row: Position; readonly market: Market | undefined }) => {
  const isShort = isNegative(props.row.quantity);
  return (
    <span className={isShort ? 'mk short' : 'mk'}>
      <b>{props.market === undefined ? props.row.marketCode : props.market.name}</b>
      <span className={`chip ${isShort ? 'sell' : 'buy'}`}>{isShort ? 'Short' : 'Long'}</span>
    </span>
  );
};
