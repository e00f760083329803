import { type ReactNode, useEffect, useRef } from 'react';
import { Icon } from './icons.tsx';

/** The platform's own dialog: it keeps the focus, closes on Esc and restores the focus. */
export function Dialog(props: {
  readonly title: string;
  readonly className?: string;
  readonly isBare?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { title, className = '', isBare = false, onClose, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const isShown = useRef(false);
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    isShown.current = true;
    return () => {
      isShown.current = false;
      shown?.close();
    };
  }, []);
  // Its `close` event comes later: by then the next dialog may be open, and must stay.
  const closed = (): void => {
    if (isShown.current) onClose();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc closes it; a click beside it does the same
    <dialog
      ref={dialog}
      className={`dlg ${className}`}
      aria-label={title}
      onClose={closed}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      {isBare ? null : (
        <header>
          <h2>{title}</h2>
          <span className="grow" />
          <button type="button" className="btn icon ghost" aria-label="Close" onClick={onClose}>
            <Icon name="x" />
          </button>
        </header>
      )}
      {children}
    </dialog>
  );
}
