import './wallet.css';
import { useId, useState } from 'react';
import { linkTo, navigate, useAddress } from '../../shared/navigate.ts';
import { grouped, NONE } from '../../shared/number-text.ts';
import { useQuery } from '../../shared/query.ts';
import { clientOf, type Session } from '../../shared/session.ts';
import { useStore } from '../../shared/store.ts';
import { Tabs } from '../../shared/tabs.tsx';
import { live } from '../../trade/feed.ts';
import { plainText, useValue } from '../../trade/value.tsx';
import { useFamily } from '../parts/family.ts';
import { Figure, Panel } from '../parts/panel.tsx';
import { Addresses } from './addresses.tsx';
import { FamilyBalances } from './balances.tsx';
import { Deposit } from './deposit.tsx';
import { Movements, weekAgo } from './movements.tsx';
import { chooseAsset, useChosenAsset } from './places.tsx';
import { isOver, Progress } from './progress.tsx';
import { Transfer } from './transfer.tsx';
import { stageOf, type Unfinished, useUnfinished } from './unfinished.ts';
import { Withdraw } from './withdraw.tsx';

const ACTS = [
  { name: 'deposit', label: 'Deposit' },
  { name: 'withdraw', label: 'Withdraw' },
  { name: 'transfer', label: 'Transfer' },
  { name: 'addresses', label: 'Addresses' },
] as const;
type Act = (typeof ACTS)[number]['name'];

/** Each is a request of its own, and there are limits of them. */
const OLDER_MAX = 20;

/** A program may have hundreds: the first push nothing out of the page, more of them are shown on request. */
const CARDS_FIRST = 10;

export function WalletPage({ session }: { readonly session: Session }) {
  const hash = new URL(useAddress(), location.origin).hash.slice(1);
  const act = ACTS.find(({ name }) => name === hash)?.name ?? 'deposit';
  const changes = useStore(live, (state) => state.walletChanges);
  const unfinished = useUnfinished(session);
  const stage = `${changes} ${stageOf(unfinished.data)}`;
  const family = useFamily(session, stage);
  const client = clientOf(session);
  const key = `${session.accessKey} ${stage}`;
  const week = { limit: '200', startTime: weekAgo() };
  const deposits = useQuery(() => client.deposits(week), `${key} in`);
  const withdrawals = useQuery(async () => {
    const recent = await client.withdrawals(week);
    const known = new Set(recent.map(({ id }) => id));
    // One on hold may wait for longer than a week; its owner may still call it back.
    const older = (unfinished.data?.withdrawals ?? []).filter(({ id }) => !known.has(id));
    const asked = older.slice(0, OLDER_MAX);
    const found = await Promise.all(asked.map(({ id }) => client.withdrawals({ id })));
    return [...recent, ...found.flat()];
  }, `${key} out`);
  const asset = useChosenAsset();
  const panelId = useId();
  const [from, setFrom] = useState(session.accountId);
  const [sentId, setSentId] = useState<string>();
  const choose = (name: Act): void => navigate(`/wallet#${name}`);
  const shown = (withdrawals.data ?? []).filter(
    (withdrawal) => withdrawal.id === sentId || !isOver(withdrawal),
  );
  const [cards, setCards] = useState(CARDS_FIRST);
  const leaving = unfinished.data?.withdrawals.length ?? 0;
  const accounts = family.data ?? [];
  return (
    <>
      <Totals accounts={accounts} unfinished={unfinished.data} />
      <div className="pg-wallet">
        <div className="pg-stack">
          {shown.length === 0 ? null : (
            <Panel
              title={
                shown.every(({ status }) => status === 'COMPLETED') ? 'Sent' : 'On its way out'
              }
            >
              {shown.slice(0, cards).map((withdrawal) => (
                <Progress
                  key={withdrawal.id}
                  {...{ session, withdrawal, unfinished: unfinished.data }}
                  onChange={withdrawals.refetch}
                  onDismiss={() => setSentId(undefined)}
                />
              ))}
              <MoreCards
                listed={Math.max(0, shown.length - cards)}
                unread={leaving > OLDER_MAX ? Math.max(0, leaving - shown.length) : 0}
                onMore={() => setCards(cards + CARDS_FIRST)}
              />
            </Panel>
          )}
          <Panel title="Balances">
            <FamilyBalances
              query={family}
              ownId={session.accountId}
              onAct={(name, code, accountId) => {
                chooseAsset(code);
                setFrom(accountId);
                choose(name);
              }}
            />
          </Panel>
          <Movements
            {...{ session, deposits, withdrawals, accounts }}
            unfinished={unfinished.data}
          />
        </div>
        <section className="panel pg-move" aria-label="Move money">
          <div className="bar">
            <Tabs label="Move money" tabs={ACTS} chosen={act} panelId={panelId} onChoose={choose} />
          </div>
          <div id={panelId} role="tabpanel" aria-label={act}>
            {act === 'deposit' ? (
              <Deposit {...{ session }} unfinished={unfinished.data} onPaid={unfinished.refetch} />
            ) : null}
            {act === 'withdraw' ? (
              <Withdraw
                {...{ session }}
                unfinished={unfinished.data}
                own={accounts.find(({ accountId }) => accountId === session.accountId)}
                onSent={(id) => {
                  setSentId(id);
                  withdrawals.refetch();
                }}
              />
            ) : null}
            {act === 'transfer' ? (
              <Transfer
                {...{ session, asset, from }}
                accounts={accounts.filter(({ isActive }) => isActive)}
                onFrom={setFrom}
                onAsset={chooseAsset}
                onDone={family.refetch}
              />
            ) : null}
            {act === 'addresses' ? (
              <Addresses {...{ session }} unfinished={unfinished.data} />
            ) : null}
          </div>
        </section>
      </div>
    </>
  );
}

function Totals(props: {
  readonly accounts: readonly { readonly collateral: string }[];
  readonly unfinished: Unfinished | undefined;
}) {
  const { accounts, unfinished } = props;
  const value = useValue();
  const sum = accounts.reduce((total, { collateral }) => total + Number(collateral), 0);
  const collateral = value(accounts.length === 0 ? undefined : plainText(sum));
  const left = value(unfinished?.withdrawalLimitLeft);
  const limit = value(unfinished?.withdrawalLimit);
  const arriving = unfinished?.deposits.length;
  const leaving = unfinished?.withdrawals.length;
  return (
    <dl className="pg-figures">
      <Figure
        name="Collateral, all accounts"
        unit={collateral.unit}
        title={plainText(sum)}
        note={accountsText(accounts.length)}
      >
        {collateral.text}
      </Figure>
      <Figure name="Arriving" note="unconfirmed deposits">
        {arriving ?? '—'}
      </Figure>
      <Figure name="Leaving" note="unfinished withdrawals">
        {leaving ?? '—'}
      </Figure>
      <Figure
        name="May leave in 24 h"
        unit={left.unit}
        note={`of ${limit.text} ${limit.unit}`}
        {...(unfinished === undefined ? {} : { title: unfinished.withdrawalLimitLeft })}
      >
        {left.text}
      </Figure>
    </dl>
  );
}

/** Everybody has one: none are known yet. */
const accountsText = (count: number): string =>
  count === 0 ? NONE : count === 1 ? '1 account' : `${count} accounts`;

/** How many are on their way and have no card: `listed` may be shown, `unread` were not asked for one by one. */
function MoreCards(props: {
  readonly listed: number;
  readonly unread: number;
  readonly onMore: () => void;
}) {
  const { listed, unread, onMore } = props;
  const left = listed + unread;
  if (left === 0) return null;
  return (
    <p className="pg-more">
      <span className="t2">
        {left === 1 ? '1 more is on its way.' : `${grouped(String(left))} more are on their way.`}
      </span>
      {listed === 0 ? (
        <a className="btn s" {...linkTo('/history?kind=withdrawals')}>
          All in History
        </a>
      ) : (
        <button type="button" className="btn s" onClick={onMore}>
          Show {Math.min(listed, CARDS_FIRST)} more
        </button>
      )}
    </p>
  );
}
