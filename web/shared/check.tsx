/** A checkbox with its label. */
export const Check = (props: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  /** Set if it was refused. */
  readonly wrong?: { readonly 'aria-invalid'?: boolean; readonly 'aria-describedby'?: string };
}) => (
  <label className="ck">
    <input
      type="checkbox"
      {...props.wrong}
      checked={props.isOn}
      onChange={(event) => props.onChange(event.target.checked)}
    />{' '}
    {props.label}
  </label>
);
