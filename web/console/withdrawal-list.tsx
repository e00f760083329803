import type { ReplyOf } from '../../src/client/index.ts';
import { type listWithdrawals, releaseWithdrawal } from '../../src/wire/operator-wallet.ts';
import { plain, timeText } from '../shared/number-text.ts';
import { useStore } from '../shared/store.ts';
import { type Column, List, Native, Two } from './panel.tsx';
import { now } from './reads.ts';
import { mayAct, type Operator } from './session.ts';
import { ageText, holdText, initialOf, nameOf, shortened, statusText } from './text.ts';
import './withdrawal-list.css';

export type Withdrawal = ReplyOf<typeof listWithdrawals>[number];

/** What is needed next: an operator's release, another's (also for want of a role), or time. */
export function nextOf({ holds, releasedBy }: Withdrawal, operator: Operator): Next {
  const isAboveLimit = holds.includes('above-limit');
  if (isAboveLimit && releasedBy.includes(operator.actor)) return 'another';
  if (isAboveLimit || holds.includes('review')) {
    return mayAct(operator, releaseWithdrawal) ? 'yours' : 'role';
  }
  return holds.length === 0 ? 'moving' : 'time';
}
export type Next = 'yours' | 'another' | 'role' | 'time' | 'moving';

const NEXT_WORDS: Readonly<Record<Next, string>> = {
  yours: 'Yours',
  another: 'Another’s',
  role: 'Another’s',
  time: 'Waits',
  moving: 'Goes on',
};

/** The list selects; the detail view decides. */
export function WithdrawalList(props: {
  readonly label: string;
  readonly rows: readonly Withdrawal[] | undefined;
  readonly operator: Operator;
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly empty: string;
  /** Beside other panels: the detail view has the rest. */
  readonly isShort?: boolean;
}) {
  const { label, rows, operator, chosen, onChoose, empty, isShort = false } = props;
  const nowMs = useStore(now, (ms) => ms);
  const columns: readonly Column<Withdrawal>[] = [
    {
      name: 'Waiting',
      show: ({ id, requestedAt }) => (
        <button
          type="button"
          className="pick"
          aria-pressed={id === chosen}
          title={timeText(Number(requestedAt))}
          onClick={() => onChoose(id)}
        >
          {ageText(nowMs - Number(requestedAt))}
          <span className="sr">, choose withdrawal {id}</span>
        </button>
      ),
    },
    {
      name: 'Account',
      from: 'm',
      show: ({ accountId, family, name }) => (
        <Two above={<b>{accountId}</b>} below={`${family}, ${name}`} />
      ),
    },
    {
      name: 'Amount',
      isRight: true,
      show: ({ quantity, asset, checks }) => (
        <Two
          above={
            <b>
              {plain(quantity)} {asset}
            </b>
          }
          below={
            <>
              <Native text={checks.value} /> OX
            </>
          }
        />
      ),
    },
    {
      name: 'To',
      from: isShort ? 'xl' : 'l',
      show: ({ address, network }) => (
        <Two above={<span title={address}>{shortened(address)}</span>} below={network} />
      ),
    },
    {
      name: 'Held because',
      from: 'm',
      show: ({ holds, status, addressHoldEndsAt }) =>
        holds.length === 0 ? (
          <span className="chip">{statusText(status)}</span>
        ) : (
          <span className="chips">
            {holds.map((hold) => (
              <span key={hold} className={hold === 'above-limit' ? 'chip warn' : 'chip'}>
                {holdText(hold)}
                {hold === 'new-address' && addressHoldEndsAt !== undefined
                  ? ` ${ageText(Number(addressHoldEndsAt) - nowMs)}`
                  : ''}
              </span>
            ))}
          </span>
        ),
    },
    {
      name: 'Releases',
      from: 'm',
      show: (row) => <Releases withdrawal={row} operator={operator} />,
    },
    {
      name: 'Next',
      isRight: true,
      show: (row) => {
        const next = nextOf(row, operator);
        return (
          <span className={next === 'yours' ? 'next accent' : 'next t3'}>{NEXT_WORDS[next]}</span>
        );
      },
    },
  ];
  return <List {...{ label, columns, rows, empty, chosen }} keyOf={({ id }) => id} isTall />;
}

/** Two circles above the limit, one for a review. */
function Releases(props: { readonly withdrawal: Withdrawal; readonly operator: Operator }) {
  const { holds, releasedBy } = props.withdrawal;
  const needed = holds.includes('above-limit') ? 2 : holds.includes('review') ? 1 : 0;
  if (needed === 0 && releasedBy.length === 0) return <span className="t3">none needed</span>;
  const places = Array.from({ length: Math.max(needed, releasedBy.length) }, (_, at) => at);
  const [first] = releasedBy;
  const who =
    first === undefined ? `0 of ${needed}` : first === props.operator.actor ? 'you' : nameOf(first);
  return (
    <span className="circles">
      {places.map((at) => {
        const by = releasedBy[at];
        return by === undefined ? (
          <span key={at} className="circle" aria-hidden="true">
            {at + 1}
          </span>
        ) : (
          <span key={at} className="circle done" aria-hidden="true">
            {initialOf(by)}
          </span>
        );
      })}
      <span className="t3">{who}</span>
    </span>
  );
}
