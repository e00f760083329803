import {
  type ChangeEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { grouped, typedNumber } from '../../shared/number-text.ts';
import type { Field as FieldName, Place } from './form.ts';

/** Values in the venue's messages are in the base asset. */
export const inBase = (name: Place) => (name === 'size' ? { isWorth: false } : {});

/** A number with its unit; an error is shown below, with the nearest valid value as a click. */
export function Field(props: {
  readonly name: FieldName;
  readonly label: string;
  readonly value: string;
  readonly unit: string;
  readonly wrong: string | undefined;
  readonly nearest: string | undefined;
  readonly beside?: ReactNode;
  readonly onType: (typed: string) => void;
  readonly onUse: (nearest: string) => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}) {
  const { name, label, value, unit, wrong, nearest, beside, onType, onUse, onKeyDown } = props;
  const whyId = useId();
  const { input, shown, onChange, onBlur } = useGrouped(value, onType);
  return (
    <>
      <div className={wrong === undefined ? 'field' : 'field wrong'}>
        <div className="lb">
          <label htmlFor={`ticket-${name}`}>{label}</label>
          {beside}
        </div>
        <div className="in">
          <input
            ref={input}
            id={`ticket-${name}`}
            inputMode="decimal"
            autoComplete="off"
            spellCheck={false}
            value={shown}
            onBlur={onBlur}
            aria-invalid={wrong !== undefined}
            aria-describedby={wrong === undefined ? undefined : whyId}
            onKeyDown={onKeyDown}
            onChange={onChange}
          />
          <span className="unit">{unit}</span>
        </div>
      </div>
      {wrong === undefined ? null : (
        <p className="why" id={whyId} role="alert">
          {isOfVenue(wrong) ? wrong : `${label} ${wrong}`}{' '}
          {nearest === undefined ? null : (
            <button type="button" onClick={() => onUse(nearest)}>
              Use {grouped(nearest)}
            </button>
          )}
        </p>
      )}
    </>
  );
}

/** The venue's messages begin with their code. */
const isOfVenue = (words: string): boolean => /^\d+: /.test(words);

/**
 * Grouped like all numbers until somebody types: from then on as typed. The first key removes our own
 * separators and keeps the caret between the same digits. Those of a pasted text stay: without its comma "0,5"
 * would be ten times as much.
 */
function useGrouped(value: string, onType: (typed: string) => void) {
  const [isTyping, setTyping] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const inserted = useRef(0);
  const caret = useRef<number>(undefined);
  // React has no such event: its own comes from keys and pastes only, not from what is dropped or dictated.
  useEffect(() => {
    const { current } = input;
    const note = (): void => {
      inserted.current = current?.selectionStart ?? 0;
    };
    current?.addEventListener('beforeinput', note);
    return () => current?.removeEventListener('beforeinput', note);
  }, []);
  useLayoutEffect(() => {
    if (caret.current !== undefined) input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });
  const number = typedNumber(value);
  const onChange = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    setTyping(true);
    if (isTyping || number === undefined) {
      onType(target.value);
      return;
    }
    const end = target.selectionStart ?? target.value.length;
    const start = Math.min(inserted.current, end);
    const before = withoutGroups(target.value.slice(0, start)) + target.value.slice(start, end);
    caret.current = before.length;
    onType(before + withoutGroups(target.value.slice(end)));
  };
  return {
    input,
    shown: isTyping || number === undefined ? value : grouped(number),
    onChange,
    onBlur: () => setTyping(false),
  };
}

const withoutGroups = (text: string): string => text.replace(/[,’'\u202f]/g, '');
