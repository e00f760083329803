import type { ReactNode } from 'react';

/**
 * The fields of a form: while a request is unanswered they stay as they were sent. Nothing is typed then that the answer would
 * take away, and a refusal is about what is seen.
 */
export const Locked = (props: { readonly isLocked: boolean; readonly children: ReactNode }) => (
  <>
    <fieldset className="locked" disabled={props.isLocked} aria-busy={props.isLocked}>
      {props.children}
    </fieldset>
    <span className="sr" role="status">
      {props.isLocked ? 'Sent. The fields are locked until the answer is there.' : ''}
    </span>
  </>
);
