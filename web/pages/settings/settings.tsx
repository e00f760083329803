import './settings.css';
import type { Session } from '../../shared/session.ts';
import { type Settings, settings } from '../../shared/settings.ts';
import { useStore } from '../../shared/store.ts';
import { Choice } from '../../shared/tabs.tsx';
import { KeyList } from '../../trade/shortcuts.tsx';
import { Panel } from '../parts/panel.tsx';
import { Password, Sessions } from './access.tsx';
import { SecondFactors } from './factors.tsx';

type Named<Name> = readonly { readonly name: Name; readonly label: string }[];

const THEMES: Named<Settings['theme']> = [
  { name: 'dark', label: 'Dark' },
  { name: 'light', label: 'Light' },
  { name: 'system', label: 'As the system' },
];
const PAIRS: Named<Settings['pair']> = [
  { name: 'teal-coral', label: 'Teal, coral' },
  { name: 'blue-orange', label: 'Blue, orange' },
  { name: 'red-up', label: 'Red up' },
];
const SEPARATORS: Named<Settings['separators']> = [
  { name: 'comma', label: '12,345.6' },
  { name: 'space', label: '12\u202f345.6' },
  { name: 'apostrophe', label: '12’345.6' },
];
const ZONES: Named<Settings['zone']> = [
  { name: 'utc', label: 'UTC' },
  { name: 'local', label: 'Local' },
];
const UNITS: Named<Settings['unit']> = [
  { name: 'OX', label: 'OX' },
  { name: 'USD', label: 'USD' },
];

export function SettingsPage({ session }: { readonly session: Session | undefined }) {
  const all = useStore(settings, (chosen) => chosen);
  const change = (part: Partial<Settings>): void =>
    settings.update((before) => ({ ...before, ...part }));
  return (
    <div className="pg-settings">
      <div className="pg-stack">
        <Panel title="Display">
          <div className="pg-options">
            <Row
              label="Theme"
              options={THEMES}
              chosen={all.theme}
              onChoose={(theme) => change({ theme })}
            />
            <Row
              label="Buy and sell"
              note={<Pair />}
              options={PAIRS}
              chosen={all.pair}
              onChoose={(pair) => change({ pair })}
            />
            <Row
              label="Numbers"
              options={SEPARATORS}
              chosen={all.separators}
              onChoose={(separators) => change({ separators })}
            />
            <Row
              label="Times"
              options={ZONES}
              chosen={all.zone}
              onChoose={(zone) => change({ zone })}
            />
            <Row
              label="Values in"
              options={UNITS}
              chosen={all.unit}
              onChoose={(unit) => change({ unit })}
            />
          </div>
        </Panel>
        <Panel title="Trading">
          <div className="pg-options">
            <Switch
              label="Ask before a market order"
              note="Once, in the button’s place."
              isOn={all.asksForMarketOrders}
              onChange={(asksForMarketOrders) => change({ asksForMarketOrders })}
            />
            <Switch
              label="Cancel my orders when I am disconnected"
              note="All open orders of the accounts used here, 30 s after this page was last heard of; in a tab that nobody sees, 3 min."
              isOn={all.cancelsOnDisconnect}
              onChange={(cancelsOnDisconnect) => change({ cancelsOnDisconnect })}
            />
            <Switch
              label="Single keys are shortcuts"
              isOn={all.hasShortcuts}
              onChange={(hasShortcuts) => change({ hasShortcuts })}
            />
          </div>
        </Panel>
        <Panel title="Shortcuts">
          <KeyList />
        </Panel>
      </div>
      {session === undefined ? null : (
        <div className="pg-stack">
          <SecondFactors session={session} />
          <Sessions session={session} />
          <Password session={session} />
        </div>
      )}
    </div>
  );
}

const Pair = () => (
  <>
    <span className="buy">▲ Buy</span> <span className="sell">▼ Sell</span>
  </>
);

const Row = <Name extends string>(props: {
  readonly label: string;
  readonly note?: React.ReactNode;
  readonly options: Named<Name>;
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}) => (
  <div className="pg-option">
    <div>
      <b>{props.label}</b>
      {props.note === undefined ? null : <span className="t2">{props.note}</span>}
    </div>
    <Choice
      label={props.label}
      className="seg pg-seg"
      options={props.options}
      chosen={props.chosen}
      onChoose={props.onChoose}
    />
  </div>
);

const Switch = (props: {
  readonly label: string;
  readonly note?: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) => (
  <label className="pg-option pg-toggle">
    <span>
      <b>{props.label}</b>
      {props.note === undefined ? null : <span className="t2">{props.note}</span>}
    </span>
    <input
      type="checkbox"
      role="switch"
      aria-checked={props.isOn}
      checked={props.isOn}
      onChange={(event) => props.onChange(event.target.checked)}
    />
  </label>
);
