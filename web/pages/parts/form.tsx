import { type ReactNode, useEffect, useId, useState } from 'react';
import { askerNow } from '../../shared/asker.ts';
import { useFormSending } from '../../shared/form-sending.ts';
import { Locked } from '../../shared/locked.tsx';
import { endedBy } from '../../shared/session.ts';
import { type ControlProps, useWrong, Wrong } from '../../shared/wrong-field.tsx';
import { CopyButton } from './copy.tsx';

/** What a form passes to the act it sends. */
export type Sent = {
  text(name: string): string;
  /** As it was typed, spaces included. */
  raw(name: string): string;
  isOn(name: string): boolean;
  /** The answer is late: the outcome is not known yet. */
  onWaiting(): void;
};

/** A wrong code is answered this much later, and nothing else is accepted meanwhile. */
const WRONG_CODE_MS = 10_000;
/** A correct code is answered within this time. */
const SUSPECT_MS = 1_500;
const TOO_SOON = '25032';

/**
 * Sends a form: one request at a time; refusals are shown at the field they are about, or at the button. A
 * user who has left the form gets them as a message. A code that is not answered quickly is probably wrong:
 * the page then counts down the wait.
 */
export function ActForm(props: {
  readonly label: string;
  readonly done?: string;
  readonly act: (sent: Sent) => Promise<void>;
  /** What cannot be sent as it is, for each field; nothing is requested then. */
  readonly faults?: Readonly<Record<string, string | undefined>>;
  readonly isDanger?: boolean;
  readonly isOff?: boolean;
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}) {
  const { label, done, act, children } = props;
  const whyId = useId();
  const { form, isSending, refused, forget, refuse, send } = useFormSending(
    label,
    endedBy,
    askerNow,
  );
  const [isWaiting, setWaiting] = useState(false);
  const [countdown, startCountdown] = useCountdown();
  const sendTyped = async (): Promise<void> => {
    if (form.current === null || isSending) return;
    const fault = Object.entries(props.faults ?? {}).find(([, words]) => words !== undefined);
    if (fault?.[1] !== undefined) {
      refuse(fault[0], fault[1]);
      return;
    }
    const typed = new FormData(form.current);
    const raw = (name: string): string => String(typed.get(name) ?? '');
    const text = (name: string): string => raw(name).trim();
    const isOn = (name: string): boolean => typed.has(name);
    const asker = askerNow();
    const found = await send(async () => {
      const suspicion = setTimeout(() => {
        if (text('code') !== '') startCountdown(WRONG_CODE_MS - SUSPECT_MS);
      }, SUSPECT_MS);
      try {
        await act({ text, raw, isOn, onWaiting: () => setWaiting(true) });
      } finally {
        clearTimeout(suspicion);
        setWaiting(false);
      }
      form.current?.reset();
      if (done !== undefined) asker.notify('good', done);
    });
    startCountdown(found?.code === TOO_SOON ? WRONG_CODE_MS : 0);
  };
  const secondsLeft = Math.ceil(countdown / 1_000);
  const isAtButton = refused !== undefined && refused.field === undefined;
  return (
    <form
      ref={form}
      className="form pg-form"
      aria-label={label}
      noValidate={true}
      onSubmit={(event) => {
        event.preventDefault();
        void sendTyped();
      }}
      onInput={forget}
    >
      <Locked isLocked={isSending}>
        <Wrong value={refused}>{children}</Wrong>
      </Locked>
      {isAtButton ? (
        <p className="why pg-why" id={whyId} role="alert">
          {refused.text} <CopyButton text={refused.details} label="Copy details" />
        </p>
      ) : null}
      {secondsLeft === 0 ? null : (
        <p className="pg-wait" role="status">
          {isSending
            ? `No answer yet: a wrong code is answered after 10 s. ${secondsLeft} s left`
            : `The venue takes no code for ${secondsLeft} s`}
        </p>
      )}
      {isWaiting ? (
        <p className="pg-wait" role="status">
          Sent, waiting for the answer: it will count once
        </p>
      ) : null}
      <div className="pg-acts">
        <button
          type="submit"
          className={`btn tall ${props.isDanger === true ? 'danger' : 'primary'}`}
          disabled={isSending || props.isOff === true || secondsLeft > 0}
          aria-describedby={isAtButton ? whyId : undefined}
        >
          {isSending ? 'Sending…' : label}
        </button>
        {props.beside}
      </div>
    </form>
  );
}

/** Remaining milliseconds, updated four times a second. */
function useCountdown(): readonly [number, (ms: number) => void] {
  const [untilMs, setUntilMs] = useState(0);
  const [leftMs, setLeftMs] = useState(0);
  useEffect(() => {
    if (untilMs === 0) return undefined;
    const timer = setInterval(() => {
      const ms = Math.max(0, untilMs - Date.now());
      setLeftMs(ms);
      if (ms === 0) setUntilMs(0);
    }, 250);
    return () => clearInterval(timer);
  }, [untilMs]);
  const start = (ms: number): void => {
    setLeftMs(ms);
    setUntilMs(ms === 0 ? 0 : Date.now() + ms);
  };
  return [leftMs, start];
}

type FieldProps = {
  readonly label: string;
  readonly name: string;
  readonly hint?: ReactNode;
  readonly beside?: ReactNode;
};

/** A field with its label; an error is shown below it, with the nearest valid value as a click. */
function Framed(props: FieldProps & { readonly children: (control: ControlProps) => ReactNode }) {
  const { label, name, hint, beside, children } = props;
  const id = useId();
  const { isWrong, aria, why } = useWrong(name, id, hint === undefined ? undefined : `${id}-hint`);
  return (
    <div className="pg-fieldset">
      <div className={isWrong ? 'field wrong' : 'field'}>
        <span className="lb">
          <label htmlFor={id}>{label}</label>
          {beside}
        </span>
        <span className="in">{children({ id, name, ...aria })}</span>
      </div>
      {why}
      {!isWrong && hint !== undefined ? (
        <p className="pg-hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
    </div>
  );
}

export const TextField = (
  props: FieldProps & {
    readonly type?: string;
    readonly unit?: string;
    readonly autoComplete?: string;
    readonly placeholder?: string;
    readonly maxLength?: number;
    readonly isNumber?: boolean;
    readonly isCode?: boolean;
    readonly defaultValue?: string;
    readonly value?: string;
    readonly onType?: (typed: string) => void;
  },
) => {
  const { value, defaultValue, onType, unit } = props;
  const filled = value === undefined ? { defaultValue: defaultValue ?? '' } : { value };
  return (
    <Framed {...props}>
      {(control) => (
        <>
          <input
            {...control}
            {...filled}
            type={props.type ?? 'text'}
            className={props.isCode === true ? 'pg-code' : undefined}
            inputMode={props.isNumber === true ? 'decimal' : undefined}
            autoComplete={props.autoComplete ?? 'off'}
            placeholder={props.placeholder}
            maxLength={props.maxLength}
            spellCheck={false}
            onChange={(event) => onType?.(event.target.value)}
          />
          {unit === undefined ? null : <span className="unit">{unit}</span>}
        </>
      )}
    </Framed>
  );
};

export type Option = readonly [value: string, label: string];

export const SelectField = (
  props: FieldProps & {
    readonly options: readonly Option[];
    readonly value?: string;
    readonly onChoose?: (value: string) => void;
  },
) => {
  const { options, value, onChoose } = props;
  return (
    <Framed {...props}>
      {(control) => (
        <select
          {...control}
          {...(value === undefined ? {} : { value })}
          onChange={(event) => onChoose?.(event.target.value)}
        >
          {options.map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Framed>
  );
};

export const CheckField = (props: {
  readonly label: string;
  readonly name: string;
  readonly isOn?: boolean;
  /** Shown, not chosen. */
  readonly isFixed?: boolean;
  readonly onChange?: (isOn: boolean) => void;
}) => {
  const id = useId();
  const { aria, why } = useWrong(props.name, id);
  return (
    <>
      <label className="ck">
        <input
          type="checkbox"
          {...{ id, name: props.name, ...aria }}
          disabled={props.isFixed === true}
          {...(props.isOn === undefined ? {} : { checked: props.isOn })}
          onChange={(event) => props.onChange?.(event.target.checked)}
        />{' '}
        {props.label}
      </label>
      {why}
    </>
  );
};
