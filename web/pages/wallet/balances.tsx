import { plain } from '../../shared/number-text.ts';
import { Coin } from '../../trade/market-bar.tsx';
import type { Account } from '../parts/family.ts';
import { DataTable, type Listed, type WideColumn } from '../parts/panel.tsx';
import { plainText, usePrices, useValue } from '../parts/value.tsx';

type Row = Account['balances'][number] & {
  readonly account: string;
  readonly accountId: string;
  readonly native: string | undefined;
};

/** Balances by sub-account, with what each is worth at index prices. */
export function FamilyBalances(props: {
  readonly asked: Listed<Account>;
  readonly onAct: (act: 'deposit' | 'withdraw' | 'transfer', asset: string) => void;
}) {
  const { asked, onAct } = props;
  const prices = usePrices();
  const value = useValue();
  const native = prices['OX'];
  const rows = asked.data?.flatMap(({ name, accountId, balances }) =>
    balances.map((balance): Row => {
      const price = prices[balance.asset];
      const isKnown = price !== undefined && native !== undefined;
      const worth = isKnown ? plainText((Number(balance.total) * price) / native) : undefined;
      return { ...balance, account: name, accountId, native: worth };
    }),
  );
  const columns: readonly WideColumn<Row>[] = [
    {
      name: 'Asset',
      show: ({ asset }) => (
        <span className="asset">
          <Coin asset={asset} />
          <b>{asset}</b>
        </span>
      ),
    },
    { name: 'Account', show: ({ account }) => <span className="t2">{account}</span> },
    { name: 'Total', isRight: true, show: ({ total }) => <b title={total}>{plain(total)}</b> },
    {
      ...{ name: 'Available', isRight: true, isWide: true },
      show: ({ available }) => <span title={available}>{plain(available)}</span>,
    },
    {
      ...{ name: 'Reserved', isRight: true, isWide: true },
      show: ({ reserved }) => (
        <span className="t2" title={reserved}>
          {plain(reserved)}
        </span>
      ),
    },
    {
      ...{ name: `Value ${value('0').unit}`, isRight: true },
      show: (row) => <span title={row.native}>{value(row.native).text}</span>,
    },
    {
      ...{ name: 'Actions', isHeadHidden: true, isRight: true, isWide: true },
      show: ({ asset, account }) => (
        <span className="pg-row-acts">
          {(['deposit', 'withdraw', 'transfer'] as const).map((act) => (
            <button
              type="button"
              key={act}
              className="btn s"
              aria-label={`${labelOf(act)} ${asset} of ${account}`}
              onClick={() => onAct(act, asset)}
            >
              {labelOf(act)}
            </button>
          ))}
        </span>
      ),
    },
  ];
  return (
    <DataTable
      label="Balances"
      columns={columns}
      asked={{ ...asked, data: rows }}
      keyOf={({ accountId, asset }) => `${accountId} ${asset}`}
      empty={
        <>
          <b>No balance</b>
          <span>Deposit something to begin.</span>
        </>
      }
    />
  );
}

const labelOf = (act: string): string => act.charAt(0).toUpperCase() + act.slice(1);
