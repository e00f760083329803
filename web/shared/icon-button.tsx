import { Icon, type IconName } from './icons.tsx';

/** A button with an icon only; screen readers get its label. */
export const IconButton = (props: {
  readonly icon: IconName;
  readonly label: string;
  readonly onClick: () => void;
}) => (
  <button
    type="button"
    className="btn icon s ghost"
    aria-label={props.label}
    onClick={props.onClick}
  >
    <Icon name={props.icon} />
  </button>
);
