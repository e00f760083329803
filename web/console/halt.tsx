import { useState } from 'react';
import { listMarkets, setMarketState } from '../../src/wire/operator-markets.ts';
import { ActDialog, Fld } from './act-dialog.tsx';
import { useRead } from './reads.ts';
import type { Operator } from './session.ts';

const STATES = [
  ['HALTED', 'Halt', 'neither orders nor cancels are taken'],
  ['CANCEL_ONLY', 'Cancel only', 'orders may be canceled, none are taken'],
  ['OPEN', 'Open', 'orders are taken again'],
] as const;
type State = (typeof STATES)[number][0];

/** Asks for the market, a reason and the market's code, so that nobody halts a market by accident. */
export function HaltDialog(props: {
  readonly operator: Operator;
  readonly market?: string;
  readonly state?: State;
  readonly onClose: () => void;
}) {
  const { operator, onClose } = props;
  const { data: markets = [] } = useRead(listMarkets, {});
  const [chosen, setChosen] = useState(props.market ?? '');
  const [state, setState] = useState<State>(props.state ?? 'HALTED');
  const [typed, setTyped] = useState('');
  const market = chosen === '' ? (markets[0]?.marketCode ?? '') : chosen;
  const label = STATES.find(([name]) => name === state)?.[1] ?? '';
  const now = markets.find(({ marketCode }) => marketCode === market);
  return (
    <ActDialog
      title="State of a market"
      verb={`${label} ${market}`}
      isDanger={state !== 'OPEN'}
      operator={operator}
      isReady={typed === market && market !== ''}
      done={`${market}: ${label.toLowerCase()}`}
      endpoint={setMarketState}
      requestOf={(reason) => ({ marketCode: market, state, reason })}
      onClose={onClose}
    >
      <Fld label="Market" name="marketCode">
        {(control) => (
          <select {...control} value={market} onChange={(event) => setChosen(event.target.value)}>
            {markets.map(({ marketCode }) => (
              <option key={marketCode} value={marketCode}>
                {marketCode}
              </option>
            ))}
          </select>
        )}
      </Fld>
      {now === undefined ? null : (
        <p className="note">
          Now {now.state.toLowerCase().replaceAll('_', ' ')}
          {now.reason === '' ? '' : `, ${now.reason}`}; open interest {now.openInterest}.
        </p>
      )}
      <fieldset className="radios">
        <legend>New state</legend>
        {STATES.map(([name, words, means]) => (
          <label key={name}>
            <input
              type="radio"
              name="state"
              value={name}
              checked={state === name}
              onChange={() => setState(name)}
            />
            <b>{words}</b> <span className="t3">{means}</span>
          </label>
        ))}
      </fieldset>
      <Fld
        name="confirmed"
        label={
          <>
            Type <b>{market}</b> to confirm
          </>
        }
      >
        {(control) => (
          <input
            {...control}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </Fld>
    </ActDialog>
  );
}
