import {
  decimalsOf,
  isNegative,
  NONE,
  percentText,
  product,
  shown,
  signed,
} from '../shared/number-text.ts';
import { useStore } from '../shared/store.ts';
import { type Column, Table } from '../shared/table.tsx';
import { chooseMarket, live, type Market, marketOf, markets } from './feed.ts';
import type { Position, Ticker } from './live-state.ts';
import { closeInTicket, stopInTicket } from './ticket/fill-in.ts';
import { useValue } from './value.tsx';

export function Positions({ positions }: { readonly positions: readonly Position[] }) {
  const all = useStore(markets, (list) => list);
  const tickers = useStore(live, (state) => state.tickers);
  return (
    <Table
      label="Positions"
      className="cards"
      columns={columnsOf(all, tickers, useValue())}
      rows={positions}
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

function columnsOf(
  all: readonly Market[],
  tickers: Readonly<Record<string, Ticker>>,
  valued: ReturnType<typeof useValue>,
): readonly Column<Position>[] {
  const market = ({ marketCode }: Position): Market | undefined => marketOf(all, marketCode);
  const price = (row: Position, text: string | undefined, more = 0): string =>
    shown(text, decimalsOf(market(row)?.tickSize ?? '1') + more);
  const mark = ({ marketCode }: Position): string | undefined => tickers[marketCode]?.markPrice;
  const value = (row: Position): string =>
    product(product(row.quantity.replace('-', ''), mark(row) ?? '0'), '100');
  const { unit } = valued('0');
  const text = (native: string): string => valued(native).text;
  return [
    { name: 'Market', show: (row) => <MarketCell row={row} market={market(row)} /> },
    {
      name: 'Size',
      isRight: true,
      show: (row) => shown(row.quantity.replace('-', ''), decimalsOf(market(row)?.minSize ?? '1')),
    },
    { name: `Value ${unit}`, isRight: true, show: (row) => valued(value(row)).text },
    { name: 'Entry', isRight: true, show: (row) => price(row, row.entryPrice, 1) },
    { name: 'Mark', isRight: true, show: (row) => price(row, mark(row), 1) },
    {
      name: 'Liquidation',
      isRight: true,
      show: (row) => {
        if (Number(row.estLiquidationPrice) <= 0) return NONE;
        const distance = Number(row.estLiquidationPrice) / Number(mark(row)) - 1;
        return (
          <>
            {price(row, row.estLiquidationPrice)}
            <span className="sub">{percentText(distance, 0)}</span>
          </>
        );
      },
    },
    {
      name: `PnL ${unit}`,
      isRight: true,
      show: (row) => (
        <>
          <span className={isNegative(row.positionPnl) ? 'sell' : 'buy'}>
            {signed(row.positionPnl, text)}
          </span>
          <span className="sub">{percentText(changeOf(row, mark(row)))}</span>
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
                chooseMarket(row.marketCode);
                stopInTicket(row.quantity, of);
              }}
            >
              Stop
            </button>
            <button
              type="button"
              className="btn s"
              onClick={() => {
                chooseMarket(row.marketCode);
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

/** How far the mark is from the entry, in the direction of the position. */
function changeOf({ quantity, entryPrice }: Position, mark: string | undefined): number {
  const change = Number(mark) / Number(entryPrice) - 1;
  return isNegative(quantity) ? -change : change;
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
