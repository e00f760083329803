import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { grouped } from '../../shared/number-text.ts';
import type { Field as FieldName } from './form.ts';
import { ticket } from './ticket-state.ts';

/** What the venue names is in the base asset. */
export const inBase = (name: FieldName) => (name === 'size' ? { isWorth: false } : {});

/** A number with its unit; what is wrong with it stands below, with the nearest valid one as a click. */
export function Field(props: {
  readonly name: FieldName;
  readonly label: string;
  readonly value: string;
  readonly unit: string;
  readonly wrong: string | undefined;
  readonly nearest: string | undefined;
  readonly beside?: ReactNode;
  readonly onType: (typed: string) => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
}) {
  const { name, label, value, unit, wrong, nearest, beside, onType, onKeyDown } = props;
  const whyId = useId();
  return (
    <>
      <div className={wrong === undefined ? 'field' : 'field wrong'}>
        <div className="lb">
          <label htmlFor={`ticket-${name}`}>{label}</label>
          {beside}
        </div>
        <div className="in">
          <input
            id={`ticket-${name}`}
            inputMode="decimal"
            autoComplete="off"
            spellCheck={false}
            value={value}
            aria-invalid={wrong !== undefined}
            aria-describedby={wrong === undefined ? undefined : whyId}
            onKeyDown={onKeyDown}
            onChange={(event) => onType(event.target.value)}
          />
          <span className="unit">{unit}</span>
        </div>
      </div>
      {wrong === undefined ? null : (
        <p className="why" id={whyId} role="alert">
          {label} {wrong}{' '}
          {nearest === undefined ? null : (
            <button
              type="button"
              onClick={() =>
                ticket.update((form) => ({ ...form, [name]: nearest, ...inBase(name) }))
              }
            >
              Use {grouped(nearest)}
            </button>
          )}
        </p>
      )}
    </>
  );
}
