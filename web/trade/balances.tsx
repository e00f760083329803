import { plain } from '../shared/number-text.ts';
import { useStore } from '../shared/store.ts';
import { type Column, Table } from '../shared/table.tsx';
import { live } from './feed.ts';
import { type ValuedBalance, valuedBalances } from './live-state.ts';
import { useLoaded } from './loaded.ts';
import { Coin } from './market-bar.tsx';
import { useValue } from './value.tsx';

const COLUMNS: readonly Column<ValuedBalance>[] = [
  {
    name: 'Asset',
    show: ({ asset }) => (
      <span className="asset">
        <Coin asset={asset} />
        <b>{asset}</b>
      </span>
    ),
  },
  { name: 'Total', isRight: true, show: ({ total }) => <span title={total}>{plain(total)}</span> },
  {
    name: 'Available',
    isRight: true,
    show: ({ available }) => <span title={available}>{plain(available)}</span>,
  },
  {
    name: 'Reserved',
    isRight: true,
    show: ({ reserved }) => <span title={reserved}>{plain(reserved)}</span>,
  },
];

/** Value and collateral of each asset are the venue's figures. */
export function Balances() {
  const balances = useStore(live, (state) => state.balances);
  const account = useStore(live, (state) => state.account);
  const valued = useValue();
  const { unit } = valued('0');
  const figure = (name: string, of: 'value' | 'collateralValue'): Column<ValuedBalance> => ({
    name: `${name} ${unit}`,
    isRight: true,
    show: ({ [of]: native }) => (
      <span title={native === undefined ? undefined : `${native} OX`}>{valued(native).text}</span>
    ),
  });
  return (
    <Table
      label="Balances"
      columns={[...COLUMNS, figure('Value', 'value'), figure('Collateral', 'collateralValue')]}
      rows={useLoaded(valuedBalances({ balances, account }))}
      keyOf={({ asset }) => asset}
      empty={
        <>
          <b>No balance</b>
          <span>Deposit something to begin.</span>
        </>
      }
    />
  );
}
