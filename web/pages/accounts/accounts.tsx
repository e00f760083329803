import { useState } from 'react';
import { createSubAccount, freezeSubAccount, renameSubAccount } from '../../../src/wire/access.ts';
import { Ratio } from '../../shared/margin-ratio.tsx';
import { plain } from '../../shared/number-text.ts';
import { sendSurely } from '../../shared/send-surely.ts';
import { clientOf, type Session } from '../../shared/session.ts';
import { turnTo } from '../../trade/accounts.ts';
import { useValue } from '../../trade/value.tsx';
import { ConfirmDialog } from '../parts/confirm.tsx';
import { type Account, isMain, useFamily } from '../parts/family.ts';
import { ActForm, SelectField, TextField } from '../parts/form.tsx';
import { DataTable, Panel, type WideColumn } from '../parts/panel.tsx';

type PendingAct = { readonly act: 'rename' | 'freeze'; readonly row: Account };

const TYPES = [
  ['PORTFOLIO', 'Portfolio: every collateral asset backs it'],
  ['LINEAR', 'Linear: backed by OX and dollars only'],
] as const;

export function AccountsPage({ session }: { readonly session: Session }) {
  const client = clientOf(session);
  const isParent = isMain(session);
  const family = useFamily(session);
  const [pending, setPending] = useState<PendingAct>();
  const { refetch } = family;
  if (!isParent) {
    return (
      <Panel title="Sub-accounts">
        <p className="pg-body pg-hint">
          Sub-accounts are kept by the main account. Switch to it in the header.
        </p>
      </Panel>
    );
  }
  const close = (): void => setPending(undefined);
  return (
    <>
      <div className="pg-side">
        <Panel title="Accounts of the family">
          <AccountTable
            session={session}
            query={family}
            onAct={(act, row) => setPending({ act, row })}
          />
        </Panel>
        <Panel title="New sub-account">
          <ActForm
            label="Create sub-account"
            done="Sub-account created"
            act={async (sent) => {
              const accountType = sent.text('accountType') as 'LINEAR';
              const request = { name: sent.text('name'), accountType };
              await sendSurely(client, {
                endpoint: createSubAccount,
                request,
                onWaiting: sent.onWaiting,
              });
              refetch();
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
      {pending?.act === 'rename' ? (
        <ConfirmDialog
          title={`Rename ${pending.row.name}`}
          label="Rename"
          done="Renamed"
          isDanger={false}
          act={async (sent) => {
            const request = { accountId: pending.row.accountId, name: sent.text('name') };
            await sendSurely(client, {
              endpoint: renameSubAccount,
              request,
              onWaiting: sent.onWaiting,
            });
            refetch();
          }}
          onClose={close}
        >
          <TextField label="New name" name="name" maxLength={40} defaultValue={pending.row.name} />
        </ConfirmDialog>
      ) : null}
      {pending?.act === 'freeze' ? (
        <ConfirmDialog
          title={`${pending.row.isActive ? 'Freeze' : 'Wake'} ${pending.row.name}`}
          label={pending.row.isActive ? 'Freeze' : 'Wake'}
          done={pending.row.isActive ? 'Frozen' : 'Active again'}
          isDanger={pending.row.isActive}
          act={async (sent) => {
            const request = { accountId: pending.row.accountId, frozen: pending.row.isActive };
            await sendSurely(client, {
              endpoint: freezeSubAccount,
              request,
              onWaiting: sent.onWaiting,
            });
            refetch();
          }}
          onClose={close}
        >
          <p>
            {pending.row.isActive
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
  readonly query: { readonly data: readonly Account[] | undefined; readonly failure: unknown };
  readonly onAct: (act: PendingAct['act'], row: Account) => void;
}) {
  const { session, onAct } = props;
  const value = useValue();
  const isOwn = ({ accountId }: Account): boolean => accountId === session.accountId;
  const columns: readonly WideColumn<Account>[] = [
    {
      name: 'Account',
      show: ({ name, accountId }) => (
        <span className="pg-two">
          <b title={name}>{name}</b>
          <span className="t3">{accountId}</span>
        </span>
      ),
    },
    {
      name: 'State',
      show: ({ isActive }) => (
        <span className={isActive ? 'chip good' : 'chip warn'}>
          {isActive ? 'Active' : 'Frozen'}
        </span>
      ),
    },
    {
      name: 'Balances',
      isWide: true,
      show: ({ balances }) => (
        <span className="t2 pg-several" title={balances.map(held).join(', ')}>
          {balances.length === 0 ? '—' : balances.slice(0, 3).map(held).join(' · ')}
          {balances.length > 3 ? ` +${balances.length - 3}` : ''}
        </span>
      ),
    },
    {
      ...{ name: `Collateral ${value('0').unit}`, isRight: true },
      show: ({ collateral }) => <span title={collateral}>{value(collateral).text}</span>,
    },
    {
      ...{ name: `Positions ${value('0').unit}`, isRight: true, isWide: true },
      show: ({ notionalPositionSize }) => value(notionalPositionSize).text,
    },
    {
      ...{ name: 'Margin ratio', isRight: true, isWide: true },
      show: ({ marginRatio }) => <Ratio of={marginRatio} />,
    },
    {
      ...{ name: 'Actions', isHeadHidden: true, isRight: true },
      show: (row) =>
        isOwn(row) ? (
          <span className="t2">signed in</span>
        ) : (
          <span className="pg-row-acts">
            {row.isActive ? (
              <button
                type="button"
                className="btn s"
                aria-label={`Switch to ${row.name}`}
                onClick={() => void turnTo(row)}
              >
                Switch
              </button>
            ) : null}
            <button
              type="button"
              className="btn s"
              aria-label={`Rename ${row.name}`}
              onClick={() => onAct('rename', row)}
            >
              Rename
            </button>
            <button
              type="button"
              className="btn s"
              aria-label={`${row.isActive ? 'Freeze' : 'Wake'} ${row.name}`}
              onClick={() => onAct('freeze', row)}
            >
              {row.isActive ? 'Freeze' : 'Wake'}
            </button>
          </span>
        ),
    },
  ];
  return (
    <DataTable
      label="Accounts"
      columns={columns}
      query={props.query}
      keyOf={({ accountId }) => accountId}
      areCards={true}
      empty={<b>No account</b>}
    />
  );
}

const held = ({ asset, total }: Account['balances'][number]): string => `${plain(total)} ${asset}`;
