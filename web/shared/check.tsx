/** A box with its words. */
export const Check = (props: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) => (
  <label className="ck">
    <input
      type="checkbox"
      checked={props.isOn}
      onChange={(event) => props.onChange(event.target.checked)}
    />{' '}
    {props.label}
  </label>
);
