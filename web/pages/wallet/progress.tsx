import { useState } from 'react';
import type { ReplyOf } from '../../../src/client/index.ts';
import type { getWithdrawals } from '../../../src/wire/withdrawals.ts';
import { askerNow } from '../../shared/asker.ts';
import { IconButton } from '../../shared/icon-button.tsx';
import { Icon } from '../../shared/icons.tsx';
import { plain } from '../../shared/number-text.ts';
import { clientOf, type Session } from '../../shared/session.ts';
import { venueNowMs } from '../../shared/venue-clock.ts';
import { CopyButton } from '../parts/copy.tsx';
import { shortened } from './places.tsx';
import { stepsOf } from './progress-steps.ts';
import type { Unfinished } from './unfinished.ts';

export type Withdrawal = ReplyOf<typeof getWithdrawals>[number];

/** It is finished: its status no longer changes. */
export const isOver = ({ status }: Pick<Withdrawal, 'status'>): boolean =>
  ['COMPLETED', 'CANCELED', 'FAILED'].includes(status);

const CANCELLABLE = ['PENDING', 'ON HOLD', 'IN SWEEPING'];

/** The progress of a withdrawal, step by step; it can be cancelled until it is sent. */
export function Progress(props: {
  readonly session: Session;
  readonly withdrawal: Withdrawal;
  readonly unfinished: Unfinished | undefined;
  readonly onChange: () => void;
  readonly onDismiss: () => void;
}) {
  const { session, withdrawal, unfinished, onChange, onDismiss } = props;
  const [isSending, setSending] = useState(false);
  const waiting = unfinished?.withdrawals.find(({ id }) => id === withdrawal.id);
  const steps = stepsOf(withdrawal, waiting, venueNowMs());
  const cancel = async (): Promise<void> => {
    setSending(true);
    const asker = askerNow(session);
    try {
      await clientOf(session).cancelWithdrawal({ id: withdrawal.id });
      asker.notify('good', 'Withdrawal cancelled', 'All of it is available again.');
    } catch (reason) {
      const doubt = 'The withdrawal may still go out.';
      const titles = { refused: 'Not cancelled', unknown: 'Cancel not confirmed', doubt };
      asker.notifyFailure(reason, titles);
    }
    setSending(false);
    onChange();
  };
  const { asset, network, address, quantity, txId } = withdrawal;
  return (
    <article className="pg-progress" aria-label={`Withdrawal of ${plain(quantity)} ${asset}`}>
      <header>
        <b className="num">
          {plain(quantity)} {asset}
        </b>
        <span className="t2" title={address}>
          {network} to {shortened(address)}
        </span>
        <span className="grow" />
        {CANCELLABLE.includes(withdrawal.status) ? (
          <button
            type="button"
            className="btn s"
            disabled={isSending}
            onClick={() => void cancel()}
          >
            Cancel
          </button>
        ) : null}
        {isOver(withdrawal) ? (
          <IconButton
            icon="x"
            label={`Dismiss the withdrawal of ${plain(quantity)} ${asset}`}
            onClick={onDismiss}
          />
        ) : null}
      </header>
      <ol>
        {steps.map(({ name, state, note }) => (
          <li key={name} className={state} aria-current={state === 'now' ? 'step' : undefined}>
            <span className="pg-bullet">
              {state === 'done' ? <Icon name="ok" /> : null}
              {state === 'stopped' ? <Icon name="x" /> : null}
            </span>
            <b>{name}</b>
            {note === undefined || note === '' ? null : <span>{note}</span>}
          </li>
        ))}
      </ol>
      {txId === undefined ? null : (
        <p className="pg-tx">
          Transaction <code title={txId}>{shortened(txId)}</code> <CopyButton text={txId} />
        </p>
      )}
    </article>
  );
}
