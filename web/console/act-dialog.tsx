import { type ReactNode, useId, useState } from 'react';
import type { Endpoint, ReplyOf, RequestOf } from '../../src/client/index.ts';
import { Dialog } from '../shared/dialog.tsx';
import { useFormSending } from '../shared/form-sending.ts';
import { Locked } from '../shared/locked.tsx';
import { notify } from '../shared/messages.tsx';
import { type ControlProps, useWrong, Wrong } from '../shared/wrong-field.tsx';
import { refreshAll } from './reads.ts';
import { act, mayAct, type Operator, rolesFor } from './session.ts';

/**
 * An operator's act: what it is, a reason for the audit log, and the venue's refusal, at the field it is
 * about or at the button.
 */
export function ActDialog<E extends Endpoint>(props: {
  readonly title: string;
  readonly verb: string;
  readonly isDanger?: boolean;
  readonly operator: Operator;
  readonly isReady?: boolean;
  /** Some acts have none. */
  readonly hasReason?: boolean;
  readonly done: string;
  /** What it does now. If that changes while the operator reads, it is confirmed before it is sent. */
  readonly meaning?: string;
  /** Why it can no longer be done; empty if it can. */
  readonly over?: string;
  readonly endpoint: E;
  readonly requestOf: (reason: string) => RequestOf<E>;
  readonly onDone?: (reply: ReplyOf<E>) => void;
  readonly onClose: () => void;
  readonly children?: ReactNode;
}) {
  const { title, verb, operator, isReady = true, hasReason = true, endpoint, onClose } = props;
  const { meaning = '', over = '' } = props;
  const isAllowed = mayAct(operator, endpoint);
  const [reason, setReason] = useState('');
  const [read, setRead] = useState(meaning);
  const { form, isSending, refused, forget, send } = useFormSending(title);
  const whyId = useId();
  const sendAct = async (): Promise<void> => {
    const reply = await act(endpoint, props.requestOf(reason.trim()));
    notify('good', props.done);
    refreshAll();
    props.onDone?.(reply);
    onClose();
  };
  // While it is sent, what changes is its own doing.
  const hasChanged = !isSending && meaning !== read && over === '';
  const isOpen = meaning === read && over === '';
  const isComplete = isReady && isOpen && (!hasReason || reason.trim() !== '');
  const isAtButton = refused !== undefined && refused.field === undefined;
  return (
    <Dialog title={title} className="act" onClose={onClose}>
      <form
        className="form"
        ref={form}
        onInput={forget}
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete && isAllowed) void send(sendAct);
        }}
      >
        {isAllowed ? null : (
          <p className="note warn">
            Your roles ({operator.roles.join(', ') || 'none'}) are not enough for this: it takes{' '}
            {rolesFor(endpoint)}.
          </p>
        )}
        <fieldset className="locked" disabled={!isAllowed}>
          <Locked isLocked={isSending}>
            <Wrong value={refused}>
              {props.children}
              {hasReason ? (
                <Fld label="Reason, for the audit log" name="reason">
                  {(control) => (
                    <input
                      {...control}
                      maxLength={200}
                      autoComplete="off"
                      value={reason}
                      onChange={(event) => setReason(event.target.value)}
                    />
                  )}
                </Fld>
              ) : null}
            </Wrong>
          </Locked>
        </fieldset>
        {isAtButton ? (
          <p className="note bad" id={whyId} role="alert">
            {refused.text}{' '}
            <button
              type="button"
              className="btn s"
              onClick={() => void navigator.clipboard?.writeText(refused.details)}
            >
              Copy details
            </button>
          </p>
        ) : null}
        {hasChanged ? (
          <p className="note warn" role="alert">
            This has changed while the dialog was open: {meaning}{' '}
            <button type="button" className="btn s" onClick={() => setRead(meaning)}>
              I have read it
            </button>
          </p>
        ) : null}
        {over === '' || isSending ? null : (
          <p className="note warn" role="alert">
            {over}
          </p>
        )}
        <div className="acts">
          <button type="button" className="btn tall" onClick={onClose}>
            Leave it
          </button>
          <button
            type="submit"
            className={props.isDanger === true ? 'btn tall danger' : 'btn tall primary'}
            disabled={!isComplete || isSending || !isAllowed}
            aria-describedby={isAtButton ? whyId : undefined}
          >
            {isSending ? 'Sent, waiting for the answer…' : verb}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** A field of an act under the venue's name for it; a refusal of it is shown below. */
export function Fld(props: {
  readonly label: ReactNode;
  readonly name: string;
  readonly children: (control: ControlProps) => ReactNode;
}) {
  const { label, name, children } = props;
  const id = useId();
  const { aria, why } = useWrong(name, id);
  return (
    <div className="fld">
      <label htmlFor={id}>{label}</label>
      {children({ id, name, ...aria })}
      {why}
    </div>
  );
}
