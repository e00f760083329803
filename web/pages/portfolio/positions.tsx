import { linkTo } from '../../shared/navigate.ts';
import {
  decimalsOf,
  isNegative,
  NONE,
  percentText,
  shown,
  signed,
} from '../../shared/number-text.ts';
import { useStore } from '../../shared/store.ts';
import { marketOf, markets } from '../../trade/feed.ts';
import { liquidationDistance } from '../../trade/liquidation-price.ts';
import { addressOf } from '../../trade/market-path.ts';
import { useValue } from '../../trade/value.tsx';
import type { Account } from '../parts/family.ts';
import { DataTable, type Listed, type WideColumn } from '../parts/panel.tsx';

type Row = NonNullable<Account['positions']>[number] & {
  readonly account: string;
  readonly accountId: string;
};

/** Positions of every account, as the venue values them. */
export function FamilyPositions({ query }: { readonly query: Listed<Account> }) {
  const all = useStore(markets, (list) => list);
  const value = useValue();
  const rows = query.data?.flatMap(({ name, accountId, positions = [] }) =>
    positions.map((position): Row => ({ ...position, account: name, accountId })),
  );
  const price = ({ marketCode }: Row, text: string): string =>
    shown(text, decimalsOf(marketOf(all, marketCode)?.tickSize ?? '0.01'));
  const size = ({ marketCode, position }: Row): string =>
    shown(position.replace('-', ''), decimalsOf(marketOf(all, marketCode)?.minSize ?? '0.0001'));
  const columns: readonly WideColumn<Row>[] = [
    {
      name: 'Market',
      show: (row) => (
        <a className="pg-market" {...linkTo(addressOf(row.marketCode))}>
          <b>{marketOf(all, row.marketCode)?.name ?? row.marketCode}</b>
          <span className={isNegative(row.position) ? 'chip sell' : 'chip buy'}>
            {isNegative(row.position) ? 'Short' : 'Long'}
          </span>
        </a>
      ),
    },
    { name: 'Account', isWide: true, show: ({ account }) => <span className="t2">{account}</span> },
    {
      ...{ name: 'Size', isRight: true },
      show: (row) => <span title={row.position}>{size(row)}</span>,
    },
    { name: 'Entry', isRight: true, isWide: true, show: (row) => price(row, row.entryPrice) },
    { name: 'Mark', isRight: true, isWide: true, show: (row) => price(row, row.markPrice) },
    {
      ...{ name: 'Liquidation', isRight: true, isWide: true },
      show: (row) => {
        const distance = liquidationDistance(row.estLiquidationPrice, Number(row.markPrice));
        if (distance === undefined) return NONE;
        return (
          <>
            {price(row, row.estLiquidationPrice)}{' '}
            <span className="t3">{percentText(distance, 1)}</span>
          </>
        );
      },
    },
    {
      ...{ name: `PnL ${value('0').unit}`, isRight: true },
      show: ({ positionPnl }) => (
        <span className={isNegative(positionPnl) ? 'sell' : 'buy'} title={positionPnl}>
          {signed(positionPnl, () => value(positionPnl).text)}
        </span>
      ),
    },
  ];
  return (
    <DataTable
      label="Positions"
      columns={columns}
      query={{ ...query, data: rows }}
      keyOf={({ accountId, marketCode }) => `${accountId} ${marketCode}`}
      empty={
        <>
          <b>No position</b>
          <a className="btn s" {...linkTo('/')}>
            Open one
          </a>
        </>
      }
    />
  );
}
