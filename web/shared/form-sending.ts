import { type RefObject, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Asker } from './asker.ts';
import { notifyRefusal } from './messages.tsx';
import { type Refused, refusedOf } from './refused-members.ts';
import { fieldsIn, focusField } from './wrong-field.tsx';

export type FormSending = {
  /** The form element: a refusal is shown at its fields. */
  readonly form: RefObject<HTMLFormElement | null>;
  readonly isSending: boolean;
  readonly refused: Refused | undefined;
  /** Something was typed: an earlier refusal no longer applies. */
  readonly forget: () => void;
  /** Shows a fault of the page's own at a field, without a request. */
  readonly refuse: (field: string, text: string) => void;
  /** Does nothing while another request is unanswered. Returns the refusal, if there was one. */
  readonly send: (act: () => Promise<void>) => Promise<Refused | undefined>;
};

/**
 * A form that sends a request: one at a time, its fields locked until the answer arrives. Then the focus goes
 * to the refused field, or back to where it was. A user who has left the form meanwhile gets a refusal as a
 * message.
 */
export function useFormSending(
  title: string,
  isNoRefusal: (reason: unknown) => boolean = () => false,
  /** Whom a refusal is told that comes when the form has been left. */
  newAsker: () => Pick<Asker, 'notifyRefusal'> = () => ({ notifyRefusal }),
): FormSending {
  const form = useRef<HTMLFormElement>(null);
  const isLocked = useRef(false);
  const [isSending, setSending] = useState(false);
  const [refused, setRefused] = useState<Refused>();
  const send = async (act: () => Promise<void>): Promise<Refused | undefined> => {
    if (isLocked.current) return undefined;
    isLocked.current = true;
    const asker = newAsker();
    const focused = document.activeElement;
    setSending(true);
    setRefused(undefined);
    let found: Refused | undefined;
    try {
      await act();
    } catch (reason) {
      if (!isNoRefusal(reason)) {
        found = refusedOf(reason, fieldsIn(form.current));
        if (form.current === null) asker.notifyRefusal(`${title}: refused`, reason);
      }
    }
    isLocked.current = false;
    unlocked(
      () => {
        setRefused(found);
        setSending(false);
      },
      { form: form.current, field: found?.field, before: focused },
    );
    return found;
  };
  const refuse = (field: string, text: string): void => {
    flushSync(() => setRefused({ text, code: '', field, nearest: undefined, details: text }));
    focusField(form.current, field);
  };
  return { form, isSending, refused, forget: () => setRefused(undefined), refuse, send };
}

/** Renders the form as it is after the answer, synchronously: locked fields take no focus. */
export function unlocked(
  change: () => void,
  to: {
    readonly form: HTMLFormElement | null;
    readonly field?: string | undefined;
    readonly before: Element | null;
  },
): void {
  flushSync(change);
  focusField(to.form, to.field, to.before);
}
