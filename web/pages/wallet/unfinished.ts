import { useEffect, useState } from 'react';
import type { ReplyOf } from '../../../src/client/index.ts';
import type { getUnfinished } from '../../../src/wire/wallet.ts';
import { type Query, useQuery } from '../../shared/query.ts';
import { clientOf, type Session } from '../../shared/session.ts';
import { useStore } from '../../shared/store.ts';
import { live } from '../../trade/feed.ts';

export type Unfinished = ReplyOf<typeof getUnfinished>;

/** Blocks arrive without a message: while confirmations are counted, it is polled often. */
const BUSY_MS = 400;
const IDLE_MS = 3_000;

export function useUnfinished(session: Session): Query<Unfinished> {
  const changes = useStore(live, (state) => state.walletChanges);
  const [isBusy, setBusy] = useState(false);
  const query = useQuery(
    () => clientOf(session).unfinished(),
    `${session.accessKey} unfinished ${changes}`,
    isBusy ? BUSY_MS : IDLE_MS,
  );
  const { data } = query;
  const isMoving =
    data !== undefined &&
    (data.deposits.some(({ status }) => status === 'PENDING') ||
      data.withdrawals.some(({ status }) => status !== 'ON HOLD'));
  useEffect(() => setBusy(isMoving), [isMoving]);
  return query;
}

/** Changes when something starts, ends or advances: lists are read again then, even without a message. */
export const stageOf = (unfinished: Unfinished | undefined): string =>
  [...(unfinished?.deposits ?? []), ...(unfinished?.withdrawals ?? [])]
    .map(({ id, status }) => `${id} ${status}`)
    .join();
