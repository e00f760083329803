import { type ReactNode, useEffect } from 'react';
import { search } from '../../src/wire/operator-reports.ts';
import { linkTo, redirect } from '../shared/navigate.ts';
import { Panel } from './panel.tsx';
import { useRead } from './reads.ts';
import type { Place } from './routes.ts';
import { statusText } from './text.ts';

type Found = {
  readonly key: string;
  readonly path: string;
  readonly name: ReactNode;
  readonly note: string;
};

/** A search examines many rows: it is sent once, and again when somebody returns to it. */
const EVERY_MS = 60_000;

/** Grouped by kind; a single result is opened at once. */
export function Search({ query }: Place) {
  const q = (query.get('q') ?? '').trim();
  const read = useRead(search, q === '' ? undefined : { q, limit: '50' }, EVERY_MS);
  const groups = groupsOf(read.data);
  const all = groups.flatMap(([, found]) => found);
  const only = all.length === 1 ? all[0]?.path : undefined;
  useEffect(() => {
    if (only !== undefined) redirect(only);
  }, [only]);
  if (q === '')
    return <p className="nothing">Type an order, account, name, address or transaction.</p>;
  return (
    <Panel
      title={`Results for “${q}”`}
      count={all.length}
      note={read.data?.cut === true ? 'there may be more than is shown' : undefined}
      reads={[read]}
      everyMs={EVERY_MS}
    >
      {read.data !== undefined && all.length === 0 ? (
        <p className="nothing">
          Nothing open has this id, name, label, address or transaction. What has ended is in the
          history of its account.
        </p>
      ) : null}
      {groups
        .filter(([, found]) => found.length > 0)
        .map(([title, found]) => (
          <section key={title} className="group" aria-label={title}>
            <h3>{title}</h3>
            <ul>
              {found.map(({ key, path, name, note }) => (
                <li key={key}>
                  <a className="ref" {...linkTo(path)}>
                    {name}
                  </a>
                  <span className="t2">{note}</span>
                </li>
              ))}
            </ul>
          </section>
        ))}
    </Panel>
  );
}

type Reply = NonNullable<ReturnType<typeof useRead<typeof search>>['data']>;

function groupsOf(data: Reply | undefined): readonly (readonly [string, readonly Found[]])[] {
  if (data === undefined) return [];
  const account = (accountId: string): string => `/console/accounts/${accountId}`;
  return [
    [
      'Withdrawals',
      data.withdrawals.map(({ id, accountId, status, asset }) => ({
        ...{ key: id, name: id, note: `${asset}, ${statusText(status)}, account ${accountId}` },
        path: `/console/withdrawals/${id}?account=${accountId}`,
      })),
    ],
    [
      'Deposits',
      data.deposits.map(({ id, accountId, status, asset }) => ({
        ...{ key: id, name: id, note: `${asset}, ${statusText(status)}, account ${accountId}` },
        path: `/console/deposits/${id}`,
      })),
    ],
    [
      'Orders',
      data.orders.map(({ orderId, marketCode, accountId }) => ({
        ...{ key: orderId, name: orderId, note: `${marketCode}, account ${accountId}` },
        path: account(accountId),
      })),
    ],
    [
      'Accounts',
      data.accounts.map(({ accountId, family, name, active }) => ({
        ...{ key: accountId, name: accountId, path: account(accountId) },
        note: `${family}, ${name}${active ? '' : ', inactive'}`,
      })),
    ],
    [
      'Families',
      data.families.map((family) => ({
        ...{ key: family, name: family, note: '' },
        path: `/console/accounts?family=${encodeURIComponent(family)}`,
      })),
    ],
    [
      'Keys',
      data.keys.map(({ accessKey, accountId, revoked }) => ({
        ...{ key: accessKey, name: accessKey, path: account(accountId) },
        note: `account ${accountId}${revoked ? ', revoked' : ''}`,
      })),
    ],
  ];
}
