import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { notify } from '../shared/messages.tsx';
import { compare, grouped, typedNumber } from '../shared/number-text.ts';
import { type Refused, refusedOf } from '../shared/refused-members.ts';

/** Click, type, Enter; Esc restores the old value. A refusal is shown below, and the field stays open. */
export function Editable(props: {
  readonly name: string;
  /** Without separators of thousands: shown with those that are chosen, edited without any. */
  readonly value: string;
  readonly onSend: (text: string) => Promise<Refused | undefined>;
}) {
  const { name, value, onSend } = props;
  const [typed, setTyped] = useState<string>();
  const [refused, setRefused] = useState<Refused>();
  const isSending = useRef(false);
  /** What was typed when Enter was pressed before the venue had answered. */
  const next = useRef<string>(undefined);
  /** The current text of the field, for a pending answer; undefined once it is closed. */
  const latest = useRef<string>(undefined);
  /** What the venue has accepted and the stream has not sent yet: only another value is a change. */
  const taken = useRef<string>(undefined);
  const streamed = useRef(value);
  streamed.current = value;
  /** The button that reappears takes the focus that the field had. */
  const isLeft = useRef(false);
  const input = useRef<HTMLInputElement>(null);
  const whyId = useId();
  useEffect(
    () => () => {
      latest.current = undefined;
    },
    [],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the venue has sent the current value
  useEffect(() => {
    taken.current = undefined;
  }, [value]);
  const type = (text: string | undefined): void => {
    latest.current = text;
    isLeft.current = text === undefined && document.activeElement === input.current;
    setTyped(text);
    setRefused(undefined);
  };
  const send = async (text: string): Promise<void> => {
    const read = typedNumber(text);
    if (text.trim() === '') {
      type(undefined);
      return;
    }
    if (read === undefined) {
      setRefused(refusedOf(new Error(`${text} is no number`), []));
      return;
    }
    if (isSending.current) {
      next.current = text;
      return;
    }
    const before = taken.current ?? typedNumber(streamed.current);
    if (before !== undefined && compare(read, before) === 0) {
      type(undefined);
      return;
    }
    isSending.current = true;
    const streamedBefore = streamed.current;
    const why = await onSend(read);
    isSending.current = false;
    const again = next.current;
    next.current = undefined;
    if (why === undefined) {
      // What the stream has sent meanwhile is newer.
      if (streamed.current === streamedBefore) taken.current = read;
      if (latest.current === text) type(undefined);
    } else if (latest.current === text) setRefused(why);
    else notify('bad', 'Not changed', why.details);
    if (again !== undefined && again !== text && latest.current === again) await send(again);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (event.key === 'Enter' && typed !== undefined) void send(typed);
    else if (event.key === 'Escape') type(undefined);
  };
  // While it is sent the field may lose the focus; it closes when the answer arrives.
  const onBlur = (): void => {
    if (!isSending.current) type(undefined);
  };
  if (typed === undefined) {
    return (
      <button
        type="button"
        className="edit num"
        ref={(button) => {
          if (isLeft.current) button?.focus();
          isLeft.current = false;
        }}
        aria-label={`Change ${name} ${grouped(value)}`}
        onClick={() => type(value)}
      >
        {grouped(value)}
      </button>
    );
  }
  return (
    <>
      <input
        ref={input}
        className="editing num"
        aria-label={`New ${name}`}
        aria-invalid={refused !== undefined}
        aria-describedby={refused === undefined ? undefined : whyId}
        // biome-ignore lint/a11y/noAutofocus: the field takes the place of the button that was pressed
        autoFocus
        inputMode="decimal"
        value={typed}
        onChange={(event) => type(event.target.value)}
        onBlur={onBlur}
        onKeyDown={onKeyDown}
      />
      {refused === undefined ? null : (
        <WhyBelow id={whyId} of={input.current} refused={refused} onUse={type} />
      )}
    </>
  );
}

const WIDTH = 280;

/** Above the table, which would otherwise clip it: no row moves. */
function WhyBelow(props: {
  readonly id: string;
  readonly of: HTMLElement | null;
  readonly refused: Refused;
  readonly onUse: (value: string) => void;
}) {
  const { id, of, refused, onUse } = props;
  const note = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = of?.getBoundingClientRect();
    if (note.current === null || box === undefined) return;
    note.current.showPopover();
    const { style, offsetHeight } = note.current;
    const isRoom = box.bottom + 4 + offsetHeight <= innerHeight;
    style.top = `${isRoom ? box.bottom + 4 : box.top - 4 - offsetHeight}px`;
    style.left = `${Math.max(4, Math.min(box.right - WIDTH, innerWidth - WIDTH - 4))}px`;
  }, [of]);
  const { nearest } = refused;
  return (
    <div
      ref={note}
      className="why edit-why"
      id={id}
      role="alert"
      popover="manual"
      // A press on it leaves the field open.
      onPointerDown={(event) => event.preventDefault()}
      onMouseDown={(event) => event.preventDefault()}
    >
      {refused.details}{' '}
      {nearest === undefined ? null : (
        <button type="button" tabIndex={-1} onClick={() => onUse(nearest)}>
          Use {grouped(nearest)}
        </button>
      )}
    </div>
  );
}
