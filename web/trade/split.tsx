import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';

const KEY_STEP_PX = 16;

/**
 * A border that is dragged or moved by arrow keys; a double click resets it. The panel after it grows toward
 * the start of the page.
 */
export function Split(props: {
  readonly between: 'columns' | 'rows';
  readonly label: string;
  /** The panel whose size it sets. */
  readonly of: string;
  readonly size: number | undefined;
  readonly min: number;
  readonly max: number;
  readonly onMove: (size: number | undefined) => void;
}) {
  const { between, label, of, size, min, max, onMove } = props;
  const isRows = between === 'rows';
  const from = useRef<{ readonly at: number; readonly size: number }>(undefined);
  const [isMoving, setMoving] = useState(false);
  const sizeNow = (): number => {
    const box = document.querySelector(of)?.getBoundingClientRect();
    return size ?? Math.round((isRows ? box?.height : box?.width) ?? min);
  };
  const move = (to: number): void => onMove(Math.round(Math.min(max, Math.max(min, to))));
  const onPointerDown = (event: PointerEvent): void => {
    event.currentTarget.setPointerCapture(event.pointerId);
    from.current = { at: isRows ? event.clientY : event.clientX, size: sizeNow() };
    setMoving(true);
  };
  const onPointerMove = (event: PointerEvent): void => {
    if (from.current === undefined) return;
    const at = isRows ? event.clientY : event.clientX;
    if (Math.abs(at - from.current.at) > 1) move(from.current.size + from.current.at - at);
  };
  const onPointerEnd = (): void => {
    from.current = undefined;
    setMoving(false);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const [grow, shrink] = isRows ? ['ArrowUp', 'ArrowDown'] : ['ArrowLeft', 'ArrowRight'];
    if (event.key === grow) move(sizeNow() + KEY_STEP_PX);
    else if (event.key === shrink) move(sizeNow() - KEY_STEP_PX);
    else if (event.key === 'Home') move(min);
    else if (event.key === 'End') move(max);
    else if (event.key === 'Enter') onMove(undefined);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      className={`split between-${between}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={isRows ? 'horizontal' : 'vertical'}
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={size ?? min}
      aria-valuetext={size === undefined ? 'as designed' : `${size} px`}
      data-moving={isMoving ? '' : undefined}
      title="Drag, or arrow keys; double click puts it back"
      {...{ onPointerDown, onPointerMove, onKeyDown }}
      onPointerUp={onPointerEnd}
      onPointerCancel={onPointerEnd}
      onDoubleClick={() => onMove(undefined)}
    />
  );
}
