import type { ReactNode } from 'react';
import type { Endpoint } from '../../src/client/index.ts';
import { mayAct, type Operator, rolesFor } from './session.ts';

/**
 * Opens the dialog of an act. To operators whose roles are not enough it is grey and names those that are;
 * they can still open it, because a title appears neither on a touch screen nor with the keyboard.
 */
export function ActButton(props: {
  readonly operator: Operator;
  readonly endpoint: Endpoint;
  readonly className: string;
  readonly label?: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}) {
  const { operator, endpoint, className, label, onClick, children } = props;
  const isAllowed = mayAct(operator, endpoint);
  return (
    <button
      type="button"
      className={isAllowed ? className : `${className} denied`}
      title={isAllowed ? undefined : `Takes ${rolesFor(endpoint)}`}
      aria-label={label}
      onClick={onClick}
    >
      {children}
    </button>
  );
}
