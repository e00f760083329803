import type { ReactNode } from 'react';
import { Dialog } from '../../shared/dialog.tsx';
import { ActForm, type Sent } from './form.tsx';

/** Asked before what cannot be undone. The way back has the focus: nothing dangerous is one Enter away. */
export const ConfirmDialog = (props: {
  readonly title: string;
  readonly label: string;
  readonly done: string;
  readonly fields?: readonly string[];
  readonly isDanger?: boolean;
  readonly act: (sent: Sent) => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) => (
  <Dialog title={props.title} className="narrow pg-dialog" onClose={props.onClose}>
    <ActForm
      label={props.label}
      done={props.done}
      fields={props.fields ?? []}
      isDanger={props.isDanger ?? true}
      act={async (sent) => {
        await props.act(sent);
        props.onClose();
      }}
      beside={
        // biome-ignore lint/a11y/noAutofocus: the way back is where Enter goes
        <button type="button" className="btn tall" autoFocus={true} onClick={props.onClose}>
          Keep
        </button>
      }
    >
      {props.children}
    </ActForm>
  </Dialog>
);
