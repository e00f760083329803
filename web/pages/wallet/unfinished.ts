import type { ReplyOf } from '../../../src/client/index.ts';
import type { getUnfinished } from '../../../src/wire/wallet.ts';
import { type Asked, useAsk } from '../../shared/ask.ts';
import { clientOf, type Session } from '../../shared/session.ts';
import { useStore } from '../../shared/store.ts';
import { live } from '../../trade/feed.ts';

export type Unfinished = ReplyOf<typeof getUnfinished>;

/** Blocks come without a message: while something counts them it is asked each second. */
const LOOK_MS = 1_000;

export function useUnfinished(session: Session): Asked<Unfinished> {
  const changes = useStore(live, (state) => state.walletChanges);
  return useAsk(
    () => clientOf(session).unfinished(),
    `${session.accessKey} unfinished ${changes}`,
    LOOK_MS,
  );
}

export const HOLD_WORDS = {
  'new-address': 'The address is new',
  'above-limit': 'Above what leaves without a look: two operators release it',
  review: 'An operator looks at it',
  restriction: 'Withdrawals of this account are stopped',
} as const;

export const DEPOSIT_HOLD_WORDS = {
  'below-minimum': 'below the minimum',
  'deposits-closed': 'deposits are closed',
  inactive: 'the account is frozen',
  'too-large': 'too large to credit by itself',
} as const;
