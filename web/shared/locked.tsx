import type { ReactNode } from 'react';

/**
 * The fields of a form: while a request is unanswered they stay as they were sent. So nothing is typed that
 * the answer would discard, and a refusal is about what is on the screen.
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
