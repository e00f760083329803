import { type RefObject, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { sayRefusal } from './messages.tsx';
import { type Refused, refusedOf } from './refused-members.ts';
import { fieldsIn, focusField } from './wrong-field.tsx';

export type FormSending = {
  /** Of the form itself: at its fields a refusal stands. */
  readonly form: RefObject<HTMLFormElement | null>;
  readonly isSending: boolean;
  readonly refused: Refused | undefined;
  /** Something was typed: what was said about the form is no longer true. */
  readonly forget: () => void;
  /** Nothing while another request is unanswered. Gives what was refused of it. */
  readonly send: (act: () => Promise<void>) => Promise<Refused | undefined>;
};

/**
 * A form that asks the venue for something: one request at a time, its fields locked until the answer is there. Then the focus is
 * at the field that was refused, else where it was. Who has left the form meanwhile is told of a refusal by a message.
 */
export function useFormSending(
  title: string,
  isNoRefusal: (reason: unknown) => boolean = () => false,
): FormSending {
  const form = useRef<HTMLFormElement>(null);
  const isLocked = useRef(false);
  const [isSending, setSending] = useState(false);
  const [refused, setRefused] = useState<Refused>();
  const send = async (act: () => Promise<void>): Promise<Refused | undefined> => {
    if (isLocked.current) return undefined;
    isLocked.current = true;
    const focused = document.activeElement;
    setSending(true);
    setRefused(undefined);
    let found: Refused | undefined;
    try {
      await act();
    } catch (reason) {
      if (!isNoRefusal(reason)) {
        found = refusedOf(reason, fieldsIn(form.current));
        if (form.current === null) sayRefusal(`${title}: refused`, reason);
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
  return { form, isSending, refused, forget: () => setRefused(undefined), send };
}

/** Draws a form as it is after the answer, at once: what is locked takes no focus. */
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
