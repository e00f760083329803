import { useState } from 'react';
import type { ReplyOf } from '../../../src/client/index.ts';
import { createApiKey } from '../../../src/wire/access.ts';
import { Icon } from '../../shared/icons.tsx';
import { saveFile } from '../../shared/save-file.ts';
import { sendSurely } from '../../shared/send-surely.ts';
import { clientOf, type Session } from '../../shared/session.ts';
import { venueNowMs } from '../../shared/venue-clock.ts';
import { CodeFields, codeIn, useFactors } from '../parts/code-fields.tsx';
import { CopyButton } from '../parts/copy.tsx';
import { type Account, isMain } from '../parts/family.ts';
import { ActForm, CheckField, SelectField, TextField } from '../parts/form.tsx';
import { Panel } from '../parts/panel.tsx';
import { signedCurl } from './signed-curl.ts';

export type NewKey = ReplyOf<typeof createApiKey>;
type Scope = 'read' | 'trade' | 'withdraw';

const DAY_MS = 86_400_000;
const EXPIRIES = [
  ['', 'never'],
  ['30', 'in 30 days'],
  ['90', 'in 90 days'],
  ['365', 'in a year'],
] as const;

export function CreateKey(props: {
  readonly session: Session;
  readonly accounts: readonly Account[];
  readonly onMade: (key: NewKey) => void;
}) {
  const { session, accounts, onMade } = props;
  const factors = useFactors(session);
  const [scope, setScope] = useState<Scope>('trade');
  const [account, setAccount] = useState(session.name);
  const mayWithdraw = isMain(session) && account === 'main';
  const chosen = scope === 'withdraw' && !mayWithdraw ? 'trade' : scope;
  return (
    <Panel title="New key">
      <ActForm
        label="Create key"
        act={async (sent) => {
          const addresses = sent
            .text('addresses')
            .split(/[\s,]+/)
            .filter(Boolean);
          const days = Number(sent.text('expiresAt'));
          const permissions: Scope[] = ['read'];
          if (chosen !== 'read') permissions.push('trade');
          if (chosen === 'withdraw') permissions.push('withdraw');
          const request = {
            ...{ label: sent.text('label'), permissions },
            ...(account === session.name ? {} : { account }),
            ...(addresses.length === 0 ? {} : { addresses }),
            ...(days === 0 ? {} : { expiresAt: String(Math.round(venueNowMs()) + days * DAY_MS) }),
            ...codeIn(sent),
          };
          onMade(
            await sendSurely(clientOf(session), {
              endpoint: createApiKey,
              request,
              onWaiting: sent.onWaiting,
            }),
          );
        }}
      >
        <TextField label="Name" name="label" maxLength={40} placeholder="what it is for" />
        {accounts.length > 1 ? (
          <SelectField
            label="Account"
            name="account"
            value={account}
            onChoose={setAccount}
            options={accounts.map(({ name }) => [name, name])}
          />
        ) : null}
        <fieldset className="pg-scopes">
          <legend>It may</legend>
          <CheckField label="Read" name="read" isOn={true} isFixed={true} />
          <CheckField
            label="Trade"
            name="trade"
            isOn={chosen !== 'read'}
            onChange={(isOn) => setScope(isOn ? 'trade' : 'read')}
          />
          {mayWithdraw ? (
            <CheckField
              label="Withdraw"
              name="withdraw"
              isOn={chosen === 'withdraw'}
              onChange={(isOn) => setScope(isOn ? 'withdraw' : 'trade')}
            />
          ) : null}
        </fieldset>
        <TextField
          label="Only from these IP addresses"
          name="addresses"
          isCode={true}
          placeholder="from anywhere"
          hint="Separated by commas, at most 50."
        />
        <SelectField label="Ends" name="expiresAt" options={EXPIRIES} />
        {chosen === 'withdraw' ? (
          <>
            <p className="pg-warning">
              <Icon name="warn" /> Such a key moves money out. It needs a code, and may withdraw a
              day after it was made.
            </p>
            <CodeFields factors={factors.data} isNeeded={true} />
          </>
        ) : null}
      </ActForm>
    </Panel>
  );
}

/** The only time that the secret is shown. */
export function MadeKey({
  made,
  onClose,
}: {
  readonly made: NewKey;
  readonly onClose: () => void;
}) {
  const { accessKey, secret, label } = made;
  const curl = signedCurl(location.origin, made, '/v3/account');
  const file = JSON.stringify({ baseUrl: location.origin, accessKey, secret, label }, null, 2);
  return (
    <section className="panel pg-made" aria-label="New key" role="status">
      <div className="bar">
        <h2>Key {label === '' ? 'created' : `“${label}” created`}</h2>
        <span className="grow" />
        <span className="chip warn">The secret is shown this once</span>
      </div>
      <div className="pg-body">
        <dl className="pg-secrets">
          <dt>Key</dt>
          <dd>
            <code>{accessKey}</code> <CopyButton text={accessKey} />
          </dd>
          <dt>Secret</dt>
          <dd>
            <code>{secret}</code> <CopyButton text={secret} label="Copy secret" />
          </dd>
        </dl>
        <p className="pg-label">A first request, signed, to paste into a terminal</p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
        <pre className="pg-curl" tabIndex={0}>
          {curl}
        </pre>
        <div className="pg-acts">
          <button type="button" className="btn primary" onClick={onClose}>
            I have it
          </button>
          <CopyButton text={curl} label="Copy request" className="btn" />
          <button
            type="button"
            className="btn"
            onClick={() => saveFile('rialto-key.json', `${file}\n`)}
          >
            Download
          </button>
        </div>
      </div>
    </section>
  );
}
