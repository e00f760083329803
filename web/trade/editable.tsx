import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react';
import { compare, grouped, typedNumber } from '../shared/number-text.ts';
import type { Refused } from '../shared/refused-members.ts';

/** Click, type, Enter; Esc leaves it as it was. What the venue refuses stands below, and the field stays open. */
export function Editable(props: {
  readonly name: string;
  readonly value: string;
  readonly onSend: (text: string) => Promise<Refused | undefined>;
}) {
  const { name, value, onSend } = props;
  const [typed, setTyped] = useState<string>();
  const [refused, setRefused] = useState<Refused>();
  const isSending = useRef(false);
  const input = useRef<HTMLInputElement>(null);
  const whyId = useId();
  const type = (text: string | undefined): void => {
    setTyped(text);
    setRefused(undefined);
  };
  const send = async (): Promise<void> => {
    const text = typed === undefined ? undefined : typedNumber(typed);
    const before = typedNumber(value);
    const isSame = text !== undefined && before !== undefined && compare(text, before) === 0;
    if (text === undefined || isSame || isSending.current) {
      type(undefined);
      return;
    }
    isSending.current = true;
    const why = await onSend(text);
    isSending.current = false;
    setRefused(why);
    if (why === undefined) setTyped(undefined);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (event.key === 'Enter') void send();
    else if (event.key === 'Escape') type(undefined);
  };
  // While it is sent the field may lose the focus; it closes when the answer is there.
  const onBlur = (): void => {
    if (!isSending.current) type(undefined);
  };
  if (typed === undefined) {
    return (
      <button
        type="button"
        className="edit num"
        aria-label={`Change ${name} ${value}`}
        onClick={() => type(value.replaceAll(',', ''))}
      >
        {grouped(value.replaceAll(',', ''))}
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

/** Over the table, which would cut it off: no row moves. */
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
