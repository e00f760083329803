import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { createStore, useStore } from './store.ts';

/** A confirmation of something that cannot be undone. The safe button has the focus. */
type Question = {
  readonly title: string;
  readonly body: ReactNode;
  readonly act: string;
  readonly run: () => Promise<void> | void;
};

/** Synchronous: the next question may follow in the same frame. */
const current = createStore<Question | undefined>(undefined, true);

export const confirm = (question: Question): void => current.set(question);

export function ConfirmDialog() {
  const question = useStore(current, (one) => one);
  const [running, setRunning] = useState<Question>();
  if (question === undefined) return null;
  const close = (): void => current.set(undefined);
  const run = async (): Promise<void> => {
    setRunning(question);
    await question.run();
    // The user may have left it meanwhile, and another question may be open.
    current.update((now) => (now === question ? undefined : now));
    setRunning((now) => (now === question ? undefined : now));
  };
  return (
    <Dialog title={question.title} className="narrow" onClose={close}>
      <div className="body">
        {question.body}
        <div className="acts">
          {/* biome-ignore lint/a11y/noAutofocus: the dialog must not begin on the dangerous side */}
          <button type="button" className="btn tall" autoFocus onClick={close}>
            Leave as it is
          </button>
          <button
            type="button"
            className="btn tall danger"
            disabled={running === question}
            onClick={() => void run()}
          >
            {question.act}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
