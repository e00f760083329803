import { useState } from 'react';
import type { ReplyOf } from '../../src/client/index.ts';
import { completeDeposit, listDeposits, reverseDeposit } from '../../src/wire/operator-wallet.ts';
import { linkTo } from '../shared/navigate.ts';
import { NONE, plain, timeText } from '../shared/number-text.ts';
import { useStore } from '../shared/store.ts';
import { ActButton } from './act-button.tsx';
import { ActDialog } from './act-dialog.tsx';
import { type Column, List, Panel, Two } from './panel.tsx';
import { now, useRead } from './reads.ts';
import type { Place } from './routes.ts';
import type { Operator } from './session.ts';
import { ageText, holdText, nameOf, reversalText, shortened, statusText } from './text.ts';

type Deposit = ReplyOf<typeof listDeposits>[number];
type Act = 'complete' | 'reverse';

/**
 * What an operator can do about it: credit a waiting deposit, or reverse one that its chain has taken back.
 */
function actOf({ status, hold, vanished }: Deposit): Act | undefined {
  if (vanished && status === 'COMPLETED') return 'reverse';
  return status === 'ON HOLD' && hold !== 'too-large' ? 'complete' : undefined;
}

export function Deposits({ operator, subject }: Place) {
  const waiting = useRead(listDeposits, { waiting: 'true', limit: '500' });
  const all = useRead(listDeposits, { limit: '500' });
  const [selected, setSelected] = useState<Deposit>();
  const waitingIds = new Set(waiting.data?.map(({ id }) => id));
  return (
    <>
      <Panel title="Waiting for an operator" count={waiting.data?.length} reads={[waiting]}>
        <DepositList
          label="Waiting for an operator"
          rows={waiting.data}
          operator={operator}
          chosen={subject}
          onAct={setSelected}
          empty="No deposit waits: none is on hold, none has vanished from its chain."
        />
      </Panel>
      <Panel
        title="Not final yet"
        note="their chains could still undo them"
        count={all.data === undefined ? undefined : all.data.length - waitingIds.size}
        reads={[all]}
      >
        <DepositList
          label="Not final yet"
          rows={all.data?.filter(({ id }) => !waitingIds.has(id))}
          operator={operator}
          chosen={subject}
          onAct={setSelected}
          empty="No deposit is on its way."
        />
      </Panel>
      {selected === undefined ? null : (
        <DepositAct
          deposit={selected}
          rows={[...(waiting.data ?? []), ...(all.data ?? [])]}
          operator={operator}
          onClose={() => setSelected(undefined)}
        />
      )}
    </>
  );
}

function DepositList(props: {
  readonly label: string;
  readonly rows: readonly Deposit[] | undefined;
  readonly operator: Operator;
  readonly chosen: string;
  readonly onAct: (deposit: Deposit) => void;
  readonly empty: string;
}) {
  const { label, rows, operator, chosen, onAct, empty } = props;
  const nowMs = useStore(now, (ms) => ms);
  const columns: readonly Column<Deposit>[] = [
    {
      name: 'Seen',
      from: 'm',
      show: ({ seenAt }) => (
        <span title={timeText(Number(seenAt))}>{ageText(nowMs - Number(seenAt))} ago</span>
      ),
    },
    {
      name: 'Account',
      show: ({ accountId, family, name }) => (
        <Two
          above={
            <a className="ref" {...linkTo(`/console/accounts/${accountId}`)}>
              {accountId}
            </a>
          }
          below={`${family}, ${name}`}
        />
      ),
    },
    {
      name: 'Amount',
      isRight: true,
      show: ({ quantity, asset, network }) => (
        <Two
          above={
            <b>
              {plain(quantity)} {asset}
            </b>
          }
          below={network}
        />
      ),
    },
    {
      name: 'Status',
      show: ({ status, hold, vanished }) => (
        <span className="chips">
          <span className={status === 'ON HOLD' ? 'chip warn' : 'chip'}>{statusText(status)}</span>
          {hold === undefined ? null : <span className="chip">{holdText(hold)}</span>}
          {vanished ? <span className="chip bad">Vanished</span> : null}
        </span>
      ),
    },
    {
      name: 'Transaction',
      from: 'l',
      show: ({ txId, output, height }) => (
        <Two
          above={<span title={txId}>{shortened(txId)}</span>}
          below={`output ${output}, block ${height}`}
        />
      ),
    },
    {
      name: 'Reversed by',
      from: 'l',
      show: ({ reversedBy }) =>
        reversedBy.map(nameOf).join(', ') || <span className="t3">{NONE}</span>,
    },
    {
      name: 'Act',
      isHeadHidden: true,
      isRight: true,
      show: (deposit) => {
        const act = actOf(deposit);
        if (act === undefined) return null;
        if (act === 'reverse' && deposit.reversedBy.includes(operator.actor)) {
          return <span className="t3">Another’s</span>;
        }
        return (
          <ActButton
            {...{ operator, className: 'btn s' }}
            endpoint={act === 'complete' ? completeDeposit : reverseDeposit}
            onClick={() => onAct(deposit)}
          >
            {act === 'complete' ? 'Complete…' : 'Reverse…'}
            <span className="sr"> deposit {deposit.id}</span>
          </ActButton>
        );
      },
    },
  ];
  return <List {...{ label, columns, rows, empty, chosen }} keyOf={({ id }) => id} isTall />;
}

/** Another operator may act on the same deposit while it is open. */
function DepositAct(props: {
  /** As it was when it was chosen. */
  readonly deposit: Deposit;
  readonly rows: readonly Deposit[];
  readonly operator: Operator;
  readonly onClose: () => void;
}) {
  const { deposit, rows, operator, onClose } = props;
  const latest = rows.find(({ id }) => id === deposit.id) ?? deposit;
  const isReverse = actOf(deposit) === 'reverse';
  const isOver = actOf(latest) !== actOf(deposit);
  const meaning = isReverse
    ? reversalText(latest.reversedBy)
    : 'It leaves suspense and is credited to the account.';
  const endpoint = isReverse ? reverseDeposit : completeDeposit;
  return (
    <ActDialog
      title={`${isReverse ? 'Reverse' : 'Complete'}: ${plain(deposit.quantity)} ${deposit.asset}`}
      verb={isReverse ? 'Reverse' : 'Complete'}
      isDanger={isReverse}
      operator={operator}
      done={isReverse ? 'Reversal recorded' : 'Deposit credited'}
      endpoint={endpoint}
      meaning={meaning}
      over={isOver ? `It has changed: ${statusText(latest.status)}.` : ''}
      requestOf={(reason) => ({ id: deposit.id, reason })}
      onClose={onClose}
    >
      <p className="note">
        {plain(deposit.quantity)} {deposit.asset} for account {deposit.accountId} ({deposit.family}
        ), transaction <code>{deposit.txId}</code> on {deposit.network}. {meaning}
      </p>
    </ActDialog>
  );
}
