import { useState } from 'react';
import { plain } from '../../shared/number-text.ts';
import { typedFault } from '../../shared/typed-fault.ts';
import { TextField } from '../parts/form.tsx';

/** An amount as typed; it belongs to its asset, and another one starts empty. */
export function useAmount(asset: string): readonly [string, (typed: string) => void] {
  const [of, setOf] = useState({ asset, typed: '' });
  return [of.asset === asset ? of.typed : '', (typed) => setOf({ asset, typed })];
}

/** Why the amount cannot be sent as it was typed. */
export function amountFaults(typed: string): { readonly quantity: string | undefined } {
  const fault = typedFault(typed);
  return { quantity: fault === undefined ? undefined : `Amount ${fault}` };
}

/** An amount of an asset; a click fills in the available balance. */
export function AmountField(props: {
  readonly asset: string;
  readonly typed: string;
  readonly onType: (text: string) => void;
  /** Undefined while it is not known. */
  readonly available: string | undefined;
}) {
  const { asset, typed, onType, available } = props;
  return (
    <TextField
      label="Amount"
      name="quantity"
      unit={asset}
      isNumber={true}
      value={typed}
      onType={onType}
      beside={
        <button
          type="button"
          className="pg-quick"
          disabled={available === undefined || available === '0'}
          onClick={() => onType(available ?? '')}
        >
          Available {available === undefined ? '—' : plain(available)}
        </button>
      }
    />
  );
}
