import { type ReactNode, useEffect, useRef } from 'react';
import { Dialog } from '../../shared/dialog.tsx';
import { ActForm, type Sent } from './form.tsx';

/** A confirmation. If the act is dangerous, Cancel has the focus, so that one Enter does not confirm it. */
export function ConfirmDialog(props: {
  readonly title: string;
  readonly label: string;
  readonly done: string;
  readonly isDanger?: boolean;
  readonly act: (sent: Sent) => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const back = useRef<HTMLButtonElement>(null);
  const { isDanger = true } = props;
  useEffect(() => {
    const field = back.current?.closest('dialog')?.querySelector('input');
    if (isDanger) back.current?.focus();
    else field?.focus();
  }, [isDanger]);
  return (
    <Dialog title={props.title} className="narrow pg-dialog" onClose={props.onClose}>
      <ActForm
        label={props.label}
        done={props.done}
        isDanger={isDanger}
        act={async (sent) => {
          await props.act(sent);
          props.onClose();
        }}
        beside={
          <button type="button" className="btn tall" ref={back} onClick={props.onClose}>
            Keep
          </button>
        }
      >
        {props.children}
      </ActForm>
    </Dialog>
  );
}
