import { plain } from '../../shared/number-text.ts';
import { Coin } from '../../trade/market-bar.tsx';
import { useValue } from '../../trade/value.tsx';
import type { Account } from '../parts/family.ts';
import { DataTable, type Listed, type WideColumn } from '../parts/panel.tsx';

type Row = Account['balances'][number] & {
  readonly account: string;
  readonly accountId: string;
  readonly isFirst: boolean;
  readonly isActive: boolean;
};

/** Balances by sub-account, with the venue's value and collateral of each. */
export function FamilyBalances(props: {
  readonly query: Listed<Account>;
  readonly ownId: string;
  readonly onAct: (act: WalletAct, asset: string, accountId: string) => void;
}) {
  const { query, ownId, onAct } = props;
  const value = useValue();
  const { unit } = value('0');
  const rows = query.data?.flatMap(({ name, accountId, isActive, balances }) =>
    balances.map((balance, at): Row => {
      const owner = { account: name, accountId, isActive, isFirst: at === 0 };
      return { ...balance, ...owner };
    }),
  );
  const columns: readonly WideColumn<Row>[] = [
    {
      name: 'Account',
      show: ({ account, isFirst, isActive }) => (
        <>
          <b className={isFirst ? undefined : 'sr'}>{account}</b>{' '}
          {isFirst && !isActive ? <span className="chip warn">Frozen</span> : null}
        </>
      ),
    },
    {
      name: 'Asset',
      show: ({ asset }) => (
        <span className="asset">
          <Coin asset={asset} />
          <b>{asset}</b>
        </span>
      ),
    },
    { name: 'Total', isRight: true, show: ({ total }) => <b title={total}>{shortText(total)}</b> },
    {
      ...{ name: 'Available', isRight: true, isWide: true },
      show: ({ available }) => <span title={available}>{shortText(available)}</span>,
    },
    {
      ...{ name: 'Reserved', isRight: true, isWide: true },
      show: ({ reserved }) => (
        <span className="t2" title={reserved}>
          {shortText(reserved)}
        </span>
      ),
    },
    {
      ...{ name: `Value ${unit}`, isRight: true },
      show: (row) => <span title={`${row.value} OX`}>{value(row.value).text}</span>,
    },
    {
      ...{ name: `Collateral ${unit}`, isRight: true, isWide: true },
      show: ({ collateralValue }) => (
        <span title={`${collateralValue} OX`}>{value(collateralValue).text}</span>
      ),
    },
    {
      ...{ name: 'Actions', isHeadHidden: true, isRight: true, isWide: true },
      show: ({ asset, account, accountId }) => (
        <span className="pg-row-acts">
          {actsOf(accountId === ownId).map((act) => (
            <button
              type="button"
              key={act}
              className="btn s ghost"
              aria-label={`${labelOf(act)} ${asset} of ${account}`}
              onClick={() => onAct(act, asset, accountId)}
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
      query={{ ...query, data: rows }}
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

/** Large amounts without their smallest decimals; the full value is in the title. */
const shortText = (text: string): string => plain(text, Math.abs(Number(text)) >= 10_000 ? 2 : 8);

export type WalletAct = 'deposit' | 'withdraw' | 'transfer';

/** Deposit addresses are those of the signed-in account; from other accounts one can transfer. */
const actsOf = (isOwn: boolean): readonly WalletAct[] =>
  isOwn ? ['deposit', 'withdraw', 'transfer'] : ['transfer'];

const labelOf = (act: string): string => act.charAt(0).toUpperCase() + act.slice(1);
