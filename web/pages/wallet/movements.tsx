import { useId, useState } from 'react';
import type { ReplyOf } from '../../../src/client/index.ts';
import type { getDeposits } from '../../../src/wire/deposits.ts';
import type { getTransfers } from '../../../src/wire/transfers.ts';
import { linkTo } from '../../shared/navigate.ts';
import { plain, timeText } from '../../shared/number-text.ts';
import { type Query, useQuery } from '../../shared/query.ts';
import { clientOf, type Session } from '../../shared/session.ts';
import { settings } from '../../shared/settings.ts';
import { useStore } from '../../shared/store.ts';
import { Tabs } from '../../shared/tabs.tsx';
import { venueNowMs } from '../../shared/venue-clock.ts';
import { CopyButton } from '../parts/copy.tsx';
import type { Account } from '../parts/family.ts';
import { DataTable, type WideColumn } from '../parts/panel.tsx';
import { DEPOSIT_HOLD_WORDS } from './hold-words.ts';
import { shortened } from './places.tsx';
import type { Withdrawal } from './progress.tsx';
import type { Unfinished } from './unfinished.ts';

type DepositRow = ReplyOf<typeof getDeposits>[number];
type TransferRow = ReplyOf<typeof getTransfers>[number];
const KINDS = [
  { name: 'deposits', label: 'Deposits' },
  { name: 'withdrawals', label: 'Withdrawals' },
  { name: 'transfers', label: 'Transfers' },
] as const;
type Kind = (typeof KINDS)[number]['name'];

/** The last week's deposits, withdrawals and transfers; older ones are in History. */
export function Movements(props: {
  readonly session: Session;
  readonly deposits: Query<readonly DepositRow[]>;
  readonly withdrawals: Query<readonly Withdrawal[]>;
  readonly unfinished: Unfinished | undefined;
  readonly accounts: readonly Account[];
}) {
  const { session, deposits, withdrawals, unfinished, accounts } = props;
  const [kind, setKind] = useState<Kind>('deposits');
  const panelId = useId();
  return (
    <section className="panel" aria-label="Deposits, withdrawals and transfers">
      <div className="bar">
        <Tabs label="Histories" tabs={KINDS} chosen={kind} panelId={panelId} onChoose={setKind} />
        <span className="grow" />
        <a className="btn s ghost" {...linkTo(`/history?kind=${kind}`)}>
          All in History
        </a>
      </div>
      <div id={panelId} role="tabpanel" aria-label={kind}>
        {kind === 'deposits' ? <Deposits query={deposits} unfinished={unfinished} /> : null}
        {kind === 'withdrawals' ? <Withdrawals query={withdrawals} /> : null}
        {kind === 'transfers' ? <Transfers session={session} accounts={accounts} /> : null}
      </div>
    </section>
  );
}

const Time = ({ ms }: { readonly ms: string }) => {
  const zone = useStore(settings, (all) => all.zone);
  return (
    <time className="t2" dateTime={new Date(Number(ms)).toISOString()}>
      {timeText(Number(ms), zone)}
    </time>
  );
};

/** A phone has room for the asset alone. */
const Way = (props: { readonly asset: string; readonly network: string }) => (
  <>
    {props.asset}
    <span className="wide t2">, {props.network}</span>
  </>
);

const STATUS_CLASS: Readonly<Record<string, string>> = {
  COMPLETED: 'good',
  'ON HOLD': 'warn',
  FAILED: 'bad',
};

export const Status = ({ status }: { readonly status: string }) => (
  <span className={`chip ${STATUS_CLASS[status] ?? ''}`}>
    {status.charAt(0) + status.slice(1).toLowerCase()}
  </span>
);

const Transaction = ({ txId }: { readonly txId: string | undefined }) =>
  txId === undefined ? (
    '—'
  ) : (
    <span className="pg-copy">
      <code title={txId}>{shortened(txId)}</code> <CopyButton text={txId} className="btn s ghost" />
    </span>
  );

function Deposits(props: {
  readonly query: Query<readonly DepositRow[]>;
  readonly unfinished: Unfinished | undefined;
}) {
  const columns: readonly WideColumn<DepositRow>[] = [
    { name: 'Time', show: ({ creditedAt }) => <Time ms={creditedAt} /> },
    { name: 'Asset', show: (row) => <Way {...row} /> },
    { name: 'Amount', isRight: true, show: ({ quantity }) => <b>{plain(quantity)}</b> },
    {
      name: 'Status',
      show: ({ id, status }) => {
        const waiting = props.unfinished?.deposits.find((one) => one.id === id);
        if (status === 'PENDING') return <Arriving waiting={waiting} />;
        const hold = waiting?.hold;
        return (
          <>
            <Status status={status} />{' '}
            {hold === undefined ? null : <span className="t2">{DEPOSIT_HOLD_WORDS[hold]}</span>}
          </>
        );
      },
    },
    { name: 'Transaction', isWide: true, show: ({ txId }) => <Transaction txId={txId} /> },
  ];
  return (
    <DataTable
      label="Deposits"
      columns={columns}
      query={props.query}
      keyOf={({ id }) => id}
      empty={<b>No deposit in the last seven days</b>}
    />
  );
}

/** Counts up while blocks are added. */
function Arriving({ waiting }: { readonly waiting: Unfinished['deposits'][number] | undefined }) {
  const needed = Number(waiting?.confirmationsNeeded ?? 0);
  const seen = Number(waiting?.confirmations ?? 0);
  return (
    <span className="pg-arriving">
      <progress max={needed || 1} value={seen} aria-label="Confirmations" />
      <span className="num">{needed === 0 ? 'Arriving' : `${seen} of ${needed}`}</span>
    </span>
  );
}

function Withdrawals({ query }: { readonly query: Query<readonly Withdrawal[]> }) {
  const columns: readonly WideColumn<Withdrawal>[] = [
    { name: 'Time', show: ({ requestedAt }) => <Time ms={requestedAt} /> },
    { name: 'Asset', show: (row) => <Way {...row} /> },
    { name: 'Amount', isRight: true, show: ({ quantity }) => <b>{plain(quantity)}</b> },
    {
      ...{ name: 'Fee', isRight: true, isWide: true },
      show: ({ fee }) => <span className="t2">{plain(fee)}</span>,
    },
    { name: 'Status', show: ({ status }) => <Status status={status} /> },
    {
      name: 'To',
      isWide: true,
      show: ({ address }) => <code title={address}>{shortened(address)}</code>,
    },
    { name: 'Transaction', isWide: true, show: ({ txId }) => <Transaction txId={txId} /> },
  ];
  return (
    <DataTable
      label="Withdrawals"
      columns={columns}
      query={query}
      keyOf={({ id }) => id}
      empty={<b>No withdrawal in the last seven days</b>}
    />
  );
}

function Transfers(props: { readonly session: Session; readonly accounts: readonly Account[] }) {
  const { session, accounts } = props;
  const query = useQuery(
    () => clientOf(session).transfers({ limit: '100', startTime: weekAgo() }),
    `${session.accessKey} transfers`,
    5_000,
  );
  const nameOf = (id: string): string =>
    accounts.find(({ accountId }) => accountId === id)?.name ?? id;
  const columns: readonly WideColumn<TransferRow>[] = [
    { name: 'Time', show: ({ transferredAt }) => <Time ms={transferredAt} /> },
    { name: 'Asset', show: ({ asset }) => asset },
    { name: 'Amount', isRight: true, show: ({ quantity }) => <b>{plain(quantity)}</b> },
    { name: 'From', show: ({ fromAccount }) => nameOf(fromAccount) },
    { name: 'To', show: ({ toAccount }) => nameOf(toAccount) },
    { name: 'Status', isWide: true, show: ({ status }) => <Status status={status} /> },
  ];
  return (
    <DataTable
      label="Transfers"
      columns={columns}
      query={query}
      keyOf={({ id }) => id}
      empty={<b>No transfer in the last seven days</b>}
    />
  );
}

const WEEK_MS = 7 * 24 * 3_600_000;
/** A minute less, so that "until now" is within seven days whenever the request arrives. */
export const weekAgo = (): string => String(Math.round(venueNowMs()) - WEEK_MS + 60_000);
