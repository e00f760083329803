import { useState } from 'react';
import { useAsk } from '../shared/ask.ts';
import { sayRefusal } from '../shared/messages.tsx';
import { timeText } from '../shared/number-text.ts';
import { clientOf, type Session } from '../shared/session.ts';
import type { Column } from '../shared/table.tsx';
import { TextField } from '../trade/sign-in.tsx';
import { ActForm, codeOf, FACTORS, ListPanel, Panel, SelectField } from './panel.tsx';

type Scope = 'read' | 'trade' | 'withdraw';
const SCOPES: readonly (readonly [string, string])[] = [
  ['read', 'read'],
  ['read,trade', 'read and trade'],
  ['read,trade,withdraw', 'read, trade and withdraw'],
];

export function KeysPage({ session }: { readonly session: Session }) {
  const client = clientOf(session);
  const { data, failure, again } = useAsk(() => client.apiKeys(), session.accessKey);
  const [made, setMade] = useState<{ readonly accessKey: string; readonly secret: string }>();
  type Row = NonNullable<typeof data>[number];
  const revoke = async (accessKey: string): Promise<void> => {
    try {
      await client.revokeApiKey({ accessKey });
      again();
    } catch (reason) {
      sayRefusal('Not revoked', reason);
    }
  };
  const columns: readonly Column<Row>[] = [
    { name: 'Label', show: ({ label }) => label || '—' },
    { name: 'Account', show: ({ name }) => name },
    { name: 'Key', show: ({ accessKey }) => <code>{accessKey}</code> },
    { name: 'May', show: ({ permissions }) => permissions.join(', ') },
    { name: 'Last use', show: ({ lastUsedAt }) => timeText(Number(lastUsedAt ?? 0)) },
    {
      name: 'Actions',
      isHeadHidden: true,
      isRight: true,
      show: ({ accessKey }) => <Revoke onRevoke={() => revoke(accessKey)} />,
    },
  ];
  return (
    <>
      {made === undefined ? null : (
        <Panel title="A new key: its secret is shown this once">
          <div className="in2">
            <p>
              Key <code>{made.accessKey}</code>
            </p>
            <p>
              Secret <code>{made.secret}</code>
            </p>
            <div className="acts2">
              <button
                type="button"
                className="btn"
                onClick={() => void navigator.clipboard?.writeText(made.secret)}
              >
                Copy secret
              </button>
              <button type="button" className="btn" onClick={() => setMade(undefined)}>
                I have it
              </button>
            </div>
          </div>
        </Panel>
      )}
      <ListPanel
        title="Keys of the family"
        scroll="List of keys"
        columns={columns}
        asked={{ data, failure }}
        keyOf={({ accessKey }) => accessKey}
        empty="No key yet"
      />
      <Panel title="New key">
        <ActForm
          label="Create key"
          done="Key created"
          act={async (text) => {
            const addresses = text('addresses')
              .split(/[\s,]+/)
              .filter(Boolean);
            const reply = await client.createApiKey({
              label: text('label'),
              permissions: text('permissions').split(',') as Scope[],
              ...(addresses.length === 0 ? {} : { addresses }),
              ...codeOf(text),
            });
            setMade(reply);
            again();
          }}
        >
          <TextField label="Label" name="label" />
          <SelectField label="May" name="permissions" options={SCOPES} />
          <TextField label="Only from these IP addresses (all, when empty)" name="addresses" />
          <div className="row2">
            <SelectField label="Code of" name="tfaType" options={FACTORS} />
            <TextField label="Code, for a key that may withdraw" name="code" />
          </div>
        </ActForm>
      </Panel>
    </>
  );
}

/** Asked once, in the button's place. */
function Revoke({ onRevoke }: { readonly onRevoke: () => Promise<void> }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <button
      type="button"
      className="btn s"
      onBlur={() => setAsked(false)}
      onClick={() => (isAsked ? void onRevoke() : setAsked(true))}
    >
      {isAsked ? 'Revoke for good?' : 'Revoke'}
    </button>
  );
}
