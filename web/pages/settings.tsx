import { useState } from 'react';
import { useAsk } from '../shared/ask.ts';
import { Check } from '../shared/check.tsx';
import { sayRefusal } from '../shared/messages.tsx';
import { timeText } from '../shared/number-text.ts';
import { clientOf, type Session, signOut } from '../shared/session.ts';
import { type Settings, settings } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import type { Column } from '../shared/table.tsx';
import { KeyList } from '../trade/shortcuts.tsx';
import { TextField } from '../trade/sign-in.tsx';
import { ActForm, codeOf, FACTORS, ListPanel, Panel, SelectField } from './panel.tsx';

export function SettingsPage({ session }: { readonly session: Session | undefined }) {
  const all = useStore(settings, (chosen) => chosen);
  const change = (part: Partial<Settings>): void =>
    settings.update((before) => ({ ...before, ...part }));
  return (
    <>
      <div className="cols2">
        <Panel title="This browser">
          <div className="in2">
            <SelectField
              label="Theme"
              name="theme"
              value={all.theme}
              options={[
                ['dark', 'Dark'],
                ['light', 'Light'],
                ['system', 'As the system'],
              ]}
              onChange={(theme) => change({ theme: theme as Settings['theme'] })}
            />
            <SelectField
              label="Colours of buy and sell"
              name="pair"
              value={all.pair}
              options={[
                ['teal-coral', 'Teal and coral'],
                ['blue-orange', 'Blue and orange'],
                ['red-up', 'Red up'],
              ]}
              onChange={(pair) => change({ pair: pair as Settings['pair'] })}
            />
            <SelectField
              label="Times"
              name="zone"
              value={all.zone}
              options={[
                ['utc', 'UTC'],
                ['local', 'Local'],
              ]}
              onChange={(zone) => change({ zone: zone as Settings['zone'] })}
            />
            <Check
              label="Single keys are shortcuts"
              isOn={all.hasShortcuts}
              onChange={(hasShortcuts) => change({ hasShortcuts })}
            />
            <Check
              label="Ask once before a market order"
              isOn={all.asksForMarketOrders}
              onChange={(asksForMarketOrders) => change({ asksForMarketOrders })}
            />
          </div>
        </Panel>
        <Panel title="Shortcuts">
          <KeyList />
        </Panel>
      </div>
      {session === undefined ? null : <Access session={session} key={session.accessKey} />}
    </>
  );
}

/** Sessions, second factors and the password. */
function Access({ session }: { readonly session: Session }) {
  const client = clientOf(session);
  const { data, failure, again } = useAsk(() => client.sessions(), session.accessKey);
  type Row = NonNullable<typeof data>[number];
  const end = async ({ accessKey, current }: Row): Promise<void> => {
    if (current) return signOut();
    try {
      await client.signOut({ accessKey });
      again();
    } catch (reason) {
      sayRefusal('Not ended', reason);
    }
    return undefined;
  };
  const columns: readonly Column<Row>[] = [
    { name: 'Account', show: ({ name, current }) => `${name}${current ? ', this one' : ''}` },
    { name: 'Since', show: ({ createdAt }) => timeText(Number(createdAt)) },
    { name: 'Ends', show: ({ expiresAt }) => timeText(Number(expiresAt)) },
    {
      name: 'Actions',
      isHeadHidden: true,
      isRight: true,
      show: (row) => (
        <button type="button" className="btn s" onClick={() => void end(row)}>
          {row.current ? 'Sign out' : 'End'}
        </button>
      ),
    },
  ];
  return (
    <>
      <ListPanel
        title="Sessions"
        scroll="List of sessions"
        columns={columns}
        asked={{ data, failure }}
        keyOf={({ accessKey }) => accessKey}
        empty="No session"
      />
      <div className="cols2">
        <SecondFactors session={session} />
        <Panel title="Password">
          <ActForm
            label="Change password"
            done="Password changed"
            act={async (text) => {
              await client.setPassword({
                ...{ password: text('password'), newPassword: text('newPassword') },
                ...codeOf(text),
              });
            }}
          >
            <TextField
              label="Now"
              name="password"
              type="password"
              autoComplete="current-password"
            />
            <TextField label="New" name="newPassword" type="password" autoComplete="new-password" />
            <TextField label="Code, if you have one" name="code" autoComplete="one-time-code" />
            <SelectField label="Code of" name="tfaType" options={FACTORS} />
          </ActForm>
        </Panel>
      </div>
    </>
  );
}

type Begun = { readonly enrolment: string; readonly secret?: string };

/** An authenticator in two steps: its secret, then its first code. */
function SecondFactors({ session }: { readonly session: Session }) {
  const client = clientOf(session);
  const { data, again } = useAsk(() => client.secondFactors(), session.accessKey);
  const [begun, setBegun] = useState<Begun>();
  const begin = async (): Promise<void> => {
    try {
      setBegun(await client.beginSecondFactor({ tfaType: 'GOOGLE' }));
    } catch (reason) {
      sayRefusal('Not begun', reason);
    }
  };
  return (
    <Panel title="Second factors">
      <div className="in2">
        <p className="note">
          {data === undefined || data.length === 0
            ? 'None is enrolled: withdrawals need no code.'
            : `Enrolled: ${data.map(({ tfaType }) => tfaType).join(', ')}.`}
        </p>
        {begun === undefined ? (
          <button type="button" className="btn" onClick={() => void begin()}>
            Enrol an authenticator
          </button>
        ) : (
          <p>
            Type this into the authenticator: <code>{begun.secret}</code>
          </p>
        )}
      </div>
      {begun === undefined ? null : (
        <ActForm
          label="Confirm"
          done="Second factor enrolled"
          act={async (text) => {
            await client.confirmSecondFactor({ enrolment: begun.enrolment, code: text('code') });
            setBegun(undefined);
            again();
          }}
        >
          <TextField label="Its first code" name="code" autoComplete="one-time-code" />
        </ActForm>
      )}
    </Panel>
  );
}
