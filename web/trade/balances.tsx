import { plain } from '../shared/number-text.ts';
import { useStore } from '../shared/store.ts';
import { type Column, Table } from '../shared/table.tsx';
import { live } from './feed.ts';
import type { Balance } from './live-state.ts';
import { Coin } from './market-bar.tsx';
import { useTold } from './told.ts';
import { plainText, usePrices, useValue } from './value.tsx';

const COLUMNS: readonly Column<Balance>[] = [
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

export function Balances() {
  const balances = useStore(live, (state) => state.balances);
  const prices = usePrices();
  const valued = useValue();
  const worth = ({ asset, total }: Balance): string | undefined => {
    const [price, native] = [prices[asset], prices['OX']];
    if (price === undefined || native === undefined) return undefined;
    return plainText((Number(total) * price) / native);
  };
  const value: Column<Balance> = {
    name: `Value ${valued('0').unit}`,
    isRight: true,
    show: (row) => <span title={worth(row)}>{valued(worth(row)).text}</span>,
  };
  return (
    <Table
      label="Balances"
      columns={[...COLUMNS, value]}
      rows={useTold(Object.values(balances))}
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
