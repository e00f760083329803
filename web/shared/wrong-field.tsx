import { createContext, type ReactNode, useContext } from 'react';
import { grouped } from './number-text.ts';
import type { Refused } from './refused-members.ts';

/** The refusal of a form: each field checks whether it is about it. */
export const Wrong = createContext<Refused | undefined>(undefined);

type Aria = {
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
};
/** Props of a field's control. */
export type ControlProps = Aria & { readonly id: string; readonly name: string };

type Field = {
  readonly isWrong: boolean;
  readonly aria: Aria;
  /** The reason, to be shown below the field; nothing if it is valid. */
  readonly why: ReactNode;
};

/**
 * The refusal at its field: the venue's message, and the nearest valid value as a click. `hintId` is used if
 * it is valid.
 */
export function useWrong(name: string, id: string, hintId?: string): Field {
  const refused = useContext(Wrong);
  if (refused?.field !== name) {
    return {
      isWrong: false,
      aria: { 'aria-invalid': false, 'aria-describedby': hintId },
      why: null,
    };
  }
  const { text, nearest } = refused;
  return {
    isWrong: true,
    aria: { 'aria-invalid': true, 'aria-describedby': `${id}-why` },
    why: (
      <span className="why" id={`${id}-why`} role="alert">
        {text}{' '}
        {nearest === undefined ? null : (
          <button type="button" onClick={() => typeInto(id, nearest)}>
            Use {grouped(nearest)}
          </button>
        )}
      </span>
    ),
  };
}

/** As if somebody had typed it. */
function typeInto(id: string, value: string): void {
  const input = document.getElementById(id);
  if (!(input instanceof HTMLInputElement)) return;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, value);
  input.dispatchEvent(new Event('input', { bubbles: true }));
  input.focus();
}

/** The fields that a form currently shows: a refusal can be shown only at these. */
export const fieldsIn = (form: HTMLFormElement | null): readonly string[] =>
  [...(form?.elements ?? [])].flatMap((one) =>
    (one instanceof HTMLInputElement && one.type !== 'hidden' && !one.disabled) ||
    one instanceof HTMLSelectElement ||
    one instanceof HTMLTextAreaElement
      ? [one.name]
      : [],
  );

/**
 * After an answer: focuses the refused field, or restores the focus. Locked fields lose it while a request is
 * unanswered.
 */
export function focusField(
  form: HTMLFormElement | null,
  field: string | undefined,
  before?: Element | null,
): void {
  const found = field === undefined ? undefined : form?.elements.namedItem(field);
  const first = found instanceof RadioNodeList ? found[0] : found;
  if (first instanceof HTMLElement) first.focus();
  else if (before instanceof HTMLElement && document.activeElement === document.body)
    before.focus();
}
