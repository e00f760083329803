import './keys.css';
import { useState } from 'react';
import type { ReplyOf } from '../../../src/client/index.ts';
import type { getApiKeys } from '../../../src/wire/access.ts';
import { timeText } from '../../shared/number-text.ts';
import { useQuery } from '../../shared/query.ts';
import { clientOf, type Session } from '../../shared/session.ts';
import { settings } from '../../shared/settings.ts';
import { useStore } from '../../shared/store.ts';
import { ConfirmDialog } from '../parts/confirm.tsx';
import { isMain, useFamily } from '../parts/family.ts';
import { DataTable, Panel, type WideColumn } from '../parts/panel.tsx';
import { CreateKey, MadeKey, type NewKey } from './new-key.tsx';

type Key = ReplyOf<typeof getApiKeys>[number];

export function KeysPage({ session }: { readonly session: Session }) {
  const client = clientOf(session);
  const family = useFamily(session);
  const isParent = isMain(session);
  const keys = useQuery(isParent ? () => client.apiKeys() : undefined, session.accessKey, 15_000);
  const [made, setMade] = useState<NewKey>();
  const [toRevoke, setToRevoke] = useState<Key>();
  if (!isParent) {
    return (
      <Panel title="API keys">
        <p className="pg-body pg-hint">
          Keys are kept by the main account. Switch to it in the header.
        </p>
      </Panel>
    );
  }
  return (
    <>
      {made === undefined ? null : <MadeKey made={made} onClose={() => setMade(undefined)} />}
      <div className="pg-side">
        <Panel
          title="Keys"
          beside={
            <span className="t2">{keys.data === undefined ? '' : `${keys.data.length}`}</span>
          }
        >
          <KeyTable query={keys} onRevoke={setToRevoke} />
        </Panel>
        <CreateKey
          session={session}
          accounts={(family.data ?? []).filter((one) => one.isActive)}
          onMade={(key) => {
            setMade(key);
            keys.refetch();
          }}
        />
      </div>
      {toRevoke === undefined ? null : (
        <ConfirmDialog
          title="Revoke key"
          label="Revoke"
          done="Key revoked"
          act={async () => {
            await client.revokeApiKey({ accessKey: toRevoke.accessKey });
            keys.refetch();
          }}
          onClose={() => setToRevoke(undefined)}
        >
          <p>
            <b>{toRevoke.label || 'No name'}</b>, account {toRevoke.name}:{' '}
            <code>{toRevoke.accessKey}</code>
          </p>
          <p className="pg-hint">
            Whatever signs with it is refused from then on. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function KeyTable(props: {
  readonly query: { readonly data: readonly Key[] | undefined; readonly failure: unknown };
  readonly onRevoke: (key: Key) => void;
}) {
  const zone = useStore(settings, (all) => all.zone);
  const day = (ms: string | undefined, none: string): string =>
    ms === undefined ? none : timeText(Number(ms), zone).slice(0, 16);
  const columns: readonly WideColumn<Key>[] = [
    {
      name: 'Name',
      show: ({ label, accessKey }) => (
        <span className="pg-two">
          <b title={label}>{label || 'No name'}</b>
          <code>{accessKey}</code>
        </span>
      ),
    },
    { name: 'Account', show: ({ name }) => name },
    {
      name: 'May',
      show: ({ permissions }) => (
        <span className="pg-chips">
          {permissions.map((scope) => (
            <span key={scope} className={scope === 'withdraw' ? 'chip warn' : 'chip'}>
              {scope}
            </span>
          ))}
        </span>
      ),
    },
    {
      name: 'From',
      isWide: true,
      show: ({ addresses }) => (
        <span className="t2" title={addresses?.join(', ')}>
          {addresses === undefined ? 'anywhere' : short(addresses)}
        </span>
      ),
    },
    {
      name: 'Ends',
      isWide: true,
      show: ({ expiresAt }) => <span className="t2">{day(expiresAt, 'never')}</span>,
    },
    {
      name: 'Last use',
      isWide: true,
      show: ({ lastUsedAt }) => <span className="t2">{day(lastUsedAt, 'not yet')}</span>,
    },
    {
      ...{ name: 'Actions', isHeadHidden: true, isRight: true },
      show: (key) => (
        <button
          type="button"
          className="btn s"
          aria-label={`Revoke ${key.label || key.accessKey}`}
          onClick={() => props.onRevoke(key)}
        >
          Revoke
        </button>
      ),
    },
  ];
  return (
    <DataTable
      label="Keys"
      areCards={true}
      columns={columns}
      query={props.query}
      keyOf={({ accessKey }) => accessKey}
      empty={
        <>
          <b>No key yet</b>
          <span>Programs sign with a key. Create the first one.</span>
        </>
      }
    />
  );
}

const short = (addresses: readonly string[]): string =>
  addresses.length > 1 ? `${addresses[0]} +${addresses.length - 1}` : (addresses[0] ?? '');
