import { useState } from 'react';
import type { ReplyOf } from '../../../src/client/index.ts';
import {
  createSubAccount,
  freezeSubAccount,
  type getSubAccounts,
  renameSubAccount,
} from '../../../src/wire/access.ts';
import { useAsk } from '../../shared/ask.ts';
import { sayRefusal } from '../../shared/messages.tsx';
import { fixed } from '../../shared/number-text.ts';
import { sendSurely } from '../../shared/send-surely.ts';
import { beginSession, clientOf, type Session } from '../../shared/session.ts';
import { ConfirmDialog } from '../parts/confirm.tsx';
import { type Account, isMain, useFamily } from '../parts/family.ts';
import { ActForm, SelectField, TextField } from '../parts/form.tsx';
import { DataTable, Panel, type WideColumn } from '../parts/panel.tsx';
import { useValue } from '../parts/value.tsx';

type SubAccount = ReplyOf<typeof getSubAccounts>[number];
type Row = SubAccount & { readonly figures: Account | undefined };
type Asked = { readonly act: 'rename' | 'freeze'; readonly row: Row };

const TYPES = [
  ['PORTFOLIO', 'Portfolio: every collateral asset backs it'],
  ['LINEAR', 'Linear: backed by OX and dollars only'],
] as const;

export function AccountsPage({ session }: { readonly session: Session }) {
  const client = clientOf(session);
  const isParent = isMain(session);
  const family = useFamily(session);
  const subs = useAsk(isParent ? () => client.subAccounts() : undefined, session.accessKey);
  const [asked, setAsked] = useState<Asked>();
  const again = (): void => {
    subs.again();
    family.again();
  };
  if (!isParent) {
    return (
      <Panel title="Sub-accounts">
        <p className="pg-body pg-hint">
          Sub-accounts are kept by the main account. Switch to it in the header.
        </p>
      </Panel>
    );
  }
  const figuresOf = (id: string): Account | undefined =>
    family.data?.find(({ accountId }) => accountId === id);
  const main: SubAccount = { accountId: session.accountId, name: session.name, active: true };
  const rows = subs.data === undefined ? undefined : [main, ...subs.data];
  const list = rows?.map((row): Row => ({ ...row, figures: figuresOf(row.accountId) }));
  const close = (): void => setAsked(undefined);
  return (
    <>
      <div className="pg-side">
        <Panel title="Accounts of the family">
          <AccountTable
            session={session}
            asked={{ ...subs, data: list }}
            onAsk={(act, row) => setAsked({ act, row })}
          />
        </Panel>
        <Panel title="New sub-account">
          <ActForm
            label="Create sub-account"
            done="Sub-account created"
            fields={['name', 'accountType']}
            act={async (sent) => {
              const accountType = sent.text('accountType') as 'LINEAR';
              const request = { name: sent.text('name'), accountType };
              await sendSurely(client, createSubAccount, request, sent.onWaiting);
              again();
            }}
          >
            <TextField
              label="Name"
              name="name"
              maxLength={40}
              hint="Letters, digits, spaces, dots and dashes."
            />
            <SelectField label="Type" name="accountType" options={TYPES} />
          </ActForm>
        </Panel>
      </div>
      {asked?.act === 'rename' ? (
        <ConfirmDialog
          title={`Rename ${asked.row.name}`}
          label="Rename"
          done="Renamed"
          isDanger={false}
          fields={['name']}
          act={async (sent) => {
            const request = { accountId: asked.row.accountId, name: sent.text('name') };
            await sendSurely(client, renameSubAccount, request, sent.onWaiting);
            again();
          }}
          onClose={close}
        >
          <TextField label="New name" name="name" maxLength={40} defaultValue={asked.row.name} />
        </ConfirmDialog>
      ) : null}
      {asked?.act === 'freeze' ? (
        <ConfirmDialog
          title={`${asked.row.active ? 'Freeze' : 'Wake'} ${asked.row.name}`}
          label={asked.row.active ? 'Freeze' : 'Wake'}
          done={asked.row.active ? 'Frozen' : 'Active again'}
          isDanger={asked.row.active}
          act={async (sent) => {
            const request = { accountId: asked.row.accountId, frozen: asked.row.active };
            await sendSurely(client, freezeSubAccount, request, sent.onWaiting);
            again();
          }}
          onClose={close}
        >
          <p>
            {asked.row.active
              ? 'It can no longer trade or be transferred to. Its balances, positions and open orders stay as they are.'
              : 'It can trade and be transferred to again.'}
          </p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}

function AccountTable(props: {
  readonly session: Session;
  readonly asked: { readonly data: readonly Row[] | undefined; readonly failure: unknown };
  readonly onAsk: (act: Asked['act'], row: Row) => void;
}) {
  const { session, onAsk } = props;
  const value = useValue();
  const turnTo = async (account: string): Promise<void> => {
    try {
      await beginSession(await clientOf(session).openSession({ account }));
    } catch (reason) {
      sayRefusal('Not switched', reason);
    }
  };
  const isOwn = ({ accountId }: Row): boolean => accountId === session.accountId;
  const columns: readonly WideColumn<Row>[] = [
    {
      name: 'Account',
      show: ({ name, accountId }) => (
        <span className="pg-two">
          <b>{name}</b>
          <span className="t3">{accountId}</span>
        </span>
      ),
    },
    {
      name: 'State',
      show: ({ active }) => (
        <span className={active ? 'chip good' : 'chip warn'}>{active ? 'Active' : 'Frozen'}</span>
      ),
    },
    {
      ...{ name: `Collateral ${value('0').unit}`, isRight: true },
      show: ({ figures }) => (
        <span title={figures?.collateral}>{value(figures?.collateral).text}</span>
      ),
    },
    {
      ...{ name: `Positions ${value('0').unit}`, isRight: true, isWide: true },
      show: ({ figures }) => value(figures?.notionalPositionSize).text,
    },
    {
      ...{ name: 'Margin ratio', isRight: true, isWide: true },
      show: ({ figures }) => (figures === undefined ? '—' : fixed(figures.marginRatio, 1)),
    },
    {
      ...{ name: 'Actions', isHeadHidden: true, isRight: true },
      show: (row) =>
        isOwn(row) ? (
          <span className="t2">signed in</span>
        ) : (
          <span className="pg-row-acts">
            {row.active ? (
              <button
                type="button"
                className="btn s"
                aria-label={`Switch to ${row.name}`}
                onClick={() => void turnTo(row.name)}
              >
                Switch
              </button>
            ) : null}
            <button
              type="button"
              className="btn s"
              aria-label={`Rename ${row.name}`}
              onClick={() => onAsk('rename', row)}
            >
              Rename
            </button>
            <button
              type="button"
              className="btn s"
              aria-label={`${row.active ? 'Freeze' : 'Wake'} ${row.name}`}
              onClick={() => onAsk('freeze', row)}
            >
              {row.active ? 'Freeze' : 'Wake'}
            </button>
          </span>
        ),
    },
  ];
  return (
    <DataTable
      label="Accounts"
      columns={columns}
      asked={props.asked}
      keyOf={({ accountId }) => accountId}
      empty={<b>No account</b>}
    />
  );
}
