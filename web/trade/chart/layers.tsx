import { type ToggleEvent, useId, useState } from 'react';
import { Check } from '../../shared/check.tsx';
import { Icon } from '../../shared/icons.tsx';
import { keptStore, useStore } from '../../shared/store.ts';

/** Which layers are drawn, in this browser. */
export const layers = keptStore('rialto-chart', {
  isLine: false,
  hasVolume: true,
  hasOrders: true,
  hasPosition: true,
  hasFills: true,
});

const LAYERS = [
  ['hasOrders', 'Orders'],
  ['hasPosition', 'Position, liquidation'],
  ['hasFills', 'Fills'],
  ['hasVolume', 'Volume'],
] as const;

/** Candles or a line, and what else is on the chart. */
export function LayersMenu() {
  const all = useStore(layers, (chosen) => chosen);
  const id = useId();
  const [place, setPlace] = useState({ left: 0, top: 0 });
  const count = LAYERS.filter(([name]) => all[name]).length;
  const onToggle = ({ newState, currentTarget }: ToggleEvent<HTMLElement>): void => {
    const button = document.querySelector(`[popovertarget="${currentTarget.id}"]`);
    const box = button?.getBoundingClientRect();
    if (newState === 'open' && box !== undefined) setPlace({ left: box.left, top: box.bottom + 4 });
  };
  return (
    <>
      <span className="vsep wide" />
      <label className="mini wide">
        <span className="sr">Drawn as</span>
        <select
          value={all.isLine ? 'line' : 'candles'}
          onChange={({ target }) =>
            layers.update((before) => ({ ...before, isLine: target.value === 'line' }))
          }
        >
          <option value="candles">Candles</option>
          <option value="line">Line</option>
        </select>
        <Icon name="down" />
      </label>
      <button type="button" className="btn s ghost wide" popoverTarget={id}>
        <Icon name="layers" /> On chart <span className="count">{count}</span>
      </button>
      <fieldset
        id={id}
        popover="auto"
        className="menu layers"
        aria-label="On the chart"
        style={place}
        onBeforeToggle={onToggle}
      >
        {LAYERS.map(([name, label]) => (
          <Check
            key={name}
            label={label}
            isOn={all[name]}
            onChange={(isOn) => layers.update((before) => ({ ...before, [name]: isOn }))}
          />
        ))}
      </fieldset>
    </>
  );
}
