import type { ReplyOf } from '../../../src/client/index.ts';
import { type getSessions, setPassword } from '../../../src/wire/access.ts';
import { askerNow } from '../../shared/asker.ts';
import { timeText } from '../../shared/number-text.ts';
import { useQuery } from '../../shared/query.ts';
import { sendSurely } from '../../shared/send-surely.ts';
import { clientOf, type Session, signOut } from '../../shared/session.ts';
import { settings } from '../../shared/settings.ts';
import { useStore } from '../../shared/store.ts';
import { CodeFields, codeIn, useFactors } from '../parts/code-fields.tsx';
import { isMain } from '../parts/family.ts';
import { ActForm, TextField } from '../parts/form.tsx';
import { DataTable, Panel, type WideColumn } from '../parts/panel.tsx';

type Row = ReplyOf<typeof getSessions>[number];

/** Other open sessions, and how to end them. */
export function Sessions({ session }: { readonly session: Session }) {
  const client = clientOf(session);
  const zone = useStore(settings, (all) => all.zone);
  const query = useQuery(
    isMain(session) ? () => client.sessions() : undefined,
    session.accessKey,
    30_000,
  );
  const time = (ms: string | undefined): string => timeText(Number(ms ?? 0), zone).slice(0, 16);
  const end = async ({ accessKey, current }: Row): Promise<void> => {
    if (current) {
      await signOut();
      return;
    }
    const asker = askerNow(session);
    try {
      await client.signOut({ accessKey });
      asker.notify('good', 'Session ended');
    } catch (reason) {
      asker.notifyRefusal('Not ended', reason);
    }
    query.refetch();
  };
  const columns: readonly WideColumn<Row>[] = [
    {
      name: 'Account',
      show: ({ name, current }) => (
        <>
          <b>{name}</b> {current ? <span className="chip accent">this one</span> : null}
        </>
      ),
    },
    { name: 'Since', show: ({ createdAt }) => <span className="t2">{time(createdAt)}</span> },
    {
      name: 'Last use',
      isWide: true,
      show: ({ lastUsedAt }) => <span className="t2">{time(lastUsedAt)}</span>,
    },
    {
      name: 'Ends',
      isWide: true,
      show: ({ expiresAt }) => <span className="t2">{time(expiresAt)}</span>,
    },
    {
      ...{ name: 'Actions', isHeadHidden: true, isRight: true },
      show: (row) => (
        <button
          type="button"
          className="btn s"
          aria-label={`Sign out ${row.current ? 'here' : `the session of ${time(row.createdAt)}`}`}
          onClick={() => void end(row)}
        >
          Sign out
        </button>
      ),
    },
  ];
  if (!isMain(session)) {
    return (
      <Panel title="Sessions">
        <p className="pg-body pg-hint">
          Sessions are listed in the main account. Switch to it in the header.
        </p>
      </Panel>
    );
  }
  return (
    <Panel title="Sessions">
      <DataTable
        label="Sessions"
        columns={columns}
        query={query}
        keyOf={({ accessKey }) => accessKey}
        empty={<b>No session</b>}
      />
    </Panel>
  );
}

export function Password({ session }: { readonly session: Session }) {
  const factors = useFactors(session);
  if (!session.permissions.includes('withdraw')) return null;
  return (
    <Panel title="Password">
      <ActForm
        label="Change password"
        done="Password changed: every other session has ended"
        act={async (sent) => {
          const request = {
            ...{ password: sent.raw('password'), newPassword: sent.raw('newPassword') },
            ...codeIn(sent),
          };
          await sendSurely(clientOf(session), {
            endpoint: setPassword,
            request,
            onWaiting: sent.onWaiting,
          });
        }}
      >
        {/* Whose password it is, for who keeps passwords. */}
        <input hidden={true} readOnly={true} autoComplete="username" value={session.name} />
        <TextField
          label="Present password"
          name="password"
          type="password"
          autoComplete="current-password"
        />
        <TextField
          label="New password"
          name="newPassword"
          type="password"
          autoComplete="new-password"
          hint="At least 10 characters."
        />
        <CodeFields factors={factors.data} />
      </ActForm>
    </Panel>
  );
}
