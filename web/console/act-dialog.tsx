import { type ReactNode, useState } from 'react';
import {
  type Endpoint,
  type ReplyOf,
  type RequestOf,
  RialtoError,
} from '../../src/client/index.ts';
import { Dialog } from '../shared/dialog.tsx';
import { reasonText, say } from '../shared/messages.tsx';
import { askAgain } from './reads.ts';
import { act, type Operator } from './session.ts';

/** What somebody needs to find the request in the log. */
const detailsOf = (failure: unknown): string =>
  failure instanceof RialtoError
    ? `${reasonText(failure)} (request ${failure.requestId ?? 'without an id'})`
    : reasonText(failure);

/** An act of an operator: what it is, a reason that goes into the audit log, and the venue's own words if it refuses. */
export function ActDialog<E extends Endpoint>(props: {
  readonly title: string;
  readonly verb: string;
  readonly isDanger?: boolean;
  readonly operator: Operator;
  /** The roles that could, where this operator's cannot. */
  readonly denied?: readonly string[] | undefined;
  readonly isReady?: boolean;
  /** Some acts have none. */
  readonly hasReason?: boolean;
  readonly done: string;
  readonly endpoint: E;
  readonly requestOf: (reason: string) => RequestOf<E>;
  readonly onDone?: (reply: ReplyOf<E>) => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}) {
  const { title, verb, denied, isReady = true, hasReason = true, endpoint, onClose } = props;
  const [reason, setReason] = useState('');
  const [failure, setFailure] = useState<unknown>();
  const [isSending, setSending] = useState(false);
  const send = async (): Promise<void> => {
    if (isSending) return;
    setSending(true);
    setFailure(undefined);
    try {
      const reply = await act(endpoint, props.requestOf(reason.trim()));
      say('good', props.done);
      askAgain();
      props.onDone?.(reply);
      onClose();
    } catch (cause) {
      setFailure(cause);
      setSending(false);
    }
  };
  const isComplete = isReady && (!hasReason || reason.trim() !== '');
  return (
    <Dialog title={title} className="act" onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) void send();
        }}
      >
        {denied === undefined ? null : (
          <p className="note warn">
            Your roles ({props.operator.roles.join(', ') || 'none'}) are not enough for this: it
            takes {[...denied, 'admin'].join(' or ')}.
          </p>
        )}
        {props.children}
        {hasReason ? (
          <label className="fld">
            <span>Reason, for the audit log</span>
            <input
              name="reason"
              maxLength={200}
              autoComplete="off"
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
          </label>
        ) : null}
        {failure === undefined ? null : (
          <p className="note bad" role="alert">
            {reasonText(failure)}{' '}
            <button
              type="button"
              className="btn s"
              onClick={() => void navigator.clipboard?.writeText(detailsOf(failure))}
            >
              Copy details
            </button>
          </p>
        )}
        <div className="acts">
          <button type="button" className="btn tall" onClick={onClose}>
            Leave it
          </button>
          <button
            type="submit"
            className={props.isDanger === true ? 'btn tall danger' : 'btn tall primary'}
            disabled={!isComplete || isSending || denied !== undefined}
          >
            {isSending ? 'Sent, waiting for the answer…' : verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
