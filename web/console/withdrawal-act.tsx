import { getWithdrawalCase } from '../../src/wire/operator-cases.ts';
import {
  cancelWithdrawalOf,
  holdWithdrawal,
  listWithdrawals,
  releaseWithdrawal,
} from '../../src/wire/operator-wallet.ts';
import { plain } from '../shared/number-text.ts';
import { ActDialog } from './act-dialog.tsx';
import { useRead } from './reads.ts';
import type { Operator } from './session.ts';
import { statusText } from './text.ts';
import type { Withdrawal } from './withdrawal-list.tsx';

export const ACTS = {
  release: { endpoint: releaseWithdrawal, isDanger: false },
  hold: { endpoint: holdWithdrawal, isDanger: false },
  cancel: { endpoint: cancelWithdrawalOf, isDanger: true },
} as const;
export type Act = keyof typeof ACTS;

/** What an operator has chosen to do, and the withdrawal as it was shown then. */
export type Chosen = { readonly act: Act; readonly withdrawal: Withdrawal };

const needsTwo = ({ holds }: Withdrawal): boolean => holds.includes('above-limit');

export function verbOf(act: Act, withdrawal: Withdrawal): string {
  if (act === 'hold') return 'Keep on hold';
  if (act === 'cancel') return 'Cancel and return';
  if (!needsTwo(withdrawal)) return 'Release';
  return withdrawal.releasedBy.length > 0 ? 'Release as second' : 'Release as first';
}

function meaningOf(act: Act, withdrawal: Withdrawal): string {
  if (act === 'hold') return 'It stays until an operator releases it.';
  if (act === 'cancel') return 'All of it returns to the account.';
  const isFirst = needsTwo(withdrawal) && withdrawal.releasedBy.length === 0;
  return isFirst ? 'It leaves when a second operator has released it, too.' : 'It is sent at once.';
}

const DONE: Readonly<Record<Act, string>> = {
  release: 'Released',
  hold: 'Kept on hold',
  cancel: 'Canceled, and returned to the account',
};

/**
 * It follows its own withdrawal, not what the list has selected: another operator may end that one while this
 * is open, and the list goes on to the next.
 */
export function WithdrawalAct(props: {
  readonly chosen: Chosen;
  readonly operator: Operator;
  readonly onClose: () => void;
}) {
  const { operator, onClose } = props;
  const { act, withdrawal: opened } = props.chosen;
  const { id, accountId } = opened;
  const unfinished = useRead(listWithdrawals, { id });
  const isOver = unfinished.data !== undefined && unfinished.data.length === 0;
  const details = useRead(getWithdrawalCase, isOver ? { id, accountId } : undefined);
  const withdrawal = unfinished.data?.[0] ?? opened;
  const { quantity, asset } = withdrawal;
  const { endpoint, isDanger } = ACTS[act];
  const verb = verbOf(act, withdrawal);
  const meaning = meaningOf(act, withdrawal);
  const status = details.data?.status;
  return (
    <ActDialog
      title={`${verb}: ${plain(quantity)} ${asset}`}
      {...{ verb, isDanger, operator, endpoint, meaning, onClose }}
      over={isOver ? `It has ended${status === undefined ? '' : `: ${statusText(status)}`}.` : ''}
      done={DONE[act]}
      requestOf={(reason) => ({ id, reason })}
    >
      <p className="note">
        {plain(quantity)} {asset} of account {accountId} ({withdrawal.family}) to{' '}
        <code>{withdrawal.address}</code> on {withdrawal.network}. {meaning}
      </p>
    </ActDialog>
  );
}
