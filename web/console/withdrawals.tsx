import { useState } from 'react';
import { getWithdrawalCase } from '../../src/wire/operator-cases.ts';
import { listWithdrawals } from '../../src/wire/operator-wallet.ts';
import { linkTo, navigate } from '../shared/navigate.ts';
import { clockText, NONE, plain, timeText } from '../shared/number-text.ts';
import { Facts, Panel } from './panel.tsx';
import { useRead } from './reads.ts';
import type { Place } from './routes.ts';
import type { Operator } from './session.ts';
import { actText, nameOf, statusText } from './text.ts';
import { type Chosen, WithdrawalAct } from './withdrawal-act.tsx';
import { Case } from './withdrawal-case.tsx';
import { WithdrawalList } from './withdrawal-list.tsx';

/** All unfinished ones, those on hold first; the selected one in full, and still shown when it has ended. */
export function Withdrawals({ operator, subject, query }: Place) {
  const all = useRead(listWithdrawals, { limit: '500' });
  const rows = all.data?.toSorted(
    (one, other) => Number(other.status === 'ON HOLD') - Number(one.status === 'ON HOLD'),
  );
  const [acting, setActing] = useState<Chosen>();
  const [firstShown, setFirstShown] = useState<string>();
  const id = subject === '' ? (firstShown ?? rows?.[0]?.id) : subject;
  // The case does not go away under its reader when another operator ends it.
  const kept = subject === '' ? id : undefined;
  if (kept !== firstShown) setFirstShown(kept);
  const chosen = rows?.find((one) => one.id === id);
  const accountId = chosen?.accountId ?? query.get('account') ?? undefined;
  const choose = (next: string): void => {
    const account = rows?.find((one) => one.id === next)?.accountId ?? '';
    navigate(`/console/withdrawals/${next}?account=${account}`);
  };
  return (
    <>
      <Panel
        title="Unfinished withdrawals"
        className="top-list"
        count={rows?.length}
        note="A release above the limit needs two operators"
        reads={[all]}
      >
        <WithdrawalList
          label="Unfinished withdrawals"
          rows={rows}
          operator={operator}
          chosen={id}
          onChoose={choose}
          empty="No withdrawal is under way."
        />
      </Panel>
      {id === undefined || rows === undefined ? null : (
        <WholeCase {...{ id, accountId, operator }} withdrawal={chosen} onAct={setActing} />
      )}
      {acting === undefined ? null : (
        <WithdrawalAct chosen={acting} operator={operator} onClose={() => setActing(undefined)} />
      )}
    </>
  );
}

function WholeCase(props: {
  readonly id: string;
  readonly accountId: string | undefined;
  readonly operator: Operator;
  readonly withdrawal: Parameters<typeof Case>[0]['withdrawal'] | undefined;
  readonly onAct: (chosen: Chosen) => void;
}) {
  const { id, accountId, operator, withdrawal, onAct } = props;
  const named = accountId === undefined ? { id } : { id, accountId };
  const details = useRead(getWithdrawalCase, named, 2_000);
  const { data } = details;
  const status = withdrawal?.status ?? data?.status;
  return (
    <Panel
      title={`Case ${id}`}
      className="whole-case"
      beside={
        status === undefined ? undefined : (
          <span className={`chip ${KIND_BY_STATUS[status] ?? ''}`}>{statusText(status)}</span>
        )
      }
      reads={[details]}
      everyMs={2_000}
    >
      {withdrawal === undefined ? null : <Case {...{ withdrawal, operator, onAct }} />}
      {data === undefined ? null : (
        <>
          {withdrawal === undefined ? (
            <Facts
              facts={[
                ['Amount', `${plain(data.quantity)} ${data.asset}`],
                ['Account', <AccountLink key="account" {...data} />],
                ['To', data.address],
                ['Network', data.network],
                ['Requested', timeText(Number(data.requestedAt))],
                [
                  'Ended',
                  data.completedAt === undefined ? NONE : timeText(Number(data.completedAt)),
                ],
                ['Transaction', data.txId ?? NONE],
                ['Cause', data.cause ?? NONE],
              ]}
            />
          ) : null}
          <div className="beside2">
            <Flows data={data} />
            <Done acts={data.acts} />
          </div>
        </>
      )}
    </Panel>
  );
}

const KIND_BY_STATUS: Readonly<Record<string, string>> = {
  'ON HOLD': 'warn',
  COMPLETED: 'good',
  CANCELED: 'bad',
  FAILED: 'bad',
};

type Details = NonNullable<ReturnType<typeof useRead<typeof getWithdrawalCase>>['data']>;

const AccountLink = ({ accountId, family, name }: Details) => (
  <a className="ref" {...linkTo(`/console/accounts/${accountId}`)}>
    {accountId} {family}, {name}
  </a>
);

function Flows({ data }: { readonly data: Details }) {
  return (
    <section aria-label="What the family moved in 30 days">
      <h3>What the family moved in 30 days{data.flowsCut ? ', of the last records only' : ''}</h3>
      {data.flows.length === 0 ? (
        <p className="t2">Nothing.</p>
      ) : (
        <table aria-label="What the family moved in 30 days">
          <thead>
            <tr>
              <th scope="col">Asset</th>
              <th scope="col" className="r">
                In
              </th>
              <th scope="col" className="r">
                Out
              </th>
            </tr>
          </thead>
          <tbody>
            {data.flows.map((flow) => (
              <tr key={flow.asset}>
                <td>
                  <b>{flow.asset}</b>
                </td>
                <td className="r num">{plain(flow.in)}</td>
                <td className="r num">{plain(flow.out)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Done({ acts }: { readonly acts: Details['acts'] }) {
  return (
    <section aria-label="What operators did">
      <h3>What operators did</h3>
      {acts.length === 0 ? (
        <p className="t2">Nothing yet.</p>
      ) : (
        <ol className="feed flush">
          {acts.map(({ time, actor, act, before, after, reason }) => (
            <li key={time + actor}>
              <time className="num t3" title={timeText(Number(time))}>
                {clockText(Number(time)).slice(0, 5)}
              </time>
              <p>
                <b>{nameOf(actor)}</b> {actText(act)}
                <span className="t3 after">
                  {[before === after ? after : `${before} → ${after}`, reason].join(' · ')}
                </span>
              </p>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
