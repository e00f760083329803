import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { setMarketState } from '../../src/wire/operator-markets.ts';
import { getOverview } from '../../src/wire/operator-reports.ts';
import { Icon, Logo } from '../shared/icons.tsx';
import { linkTo, navigate } from '../shared/navigate.ts';
import { clockText, grouped } from '../shared/number-text.ts';
import { settings, themeNow } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import { ActButton } from './act-button.tsx';
import { HaltDialog } from './halt.tsx';
import { now, refreshAll, useLost, useOldSince, useRead } from './reads.ts';
import { ROUTES, SEARCH_PATH } from './routes.ts';
import { type Operator, signOut } from './session.ts';
import { ageText, initialOf, nameOf } from './text.ts';

/** Always visible: navigation, the venue's health, and the halt button. */
export function Rail(props: { readonly route: string; readonly operator: Operator }) {
  const { route, operator } = props;
  const { data } = useRead(getOverview, {});
  const [isOpen, setOpen] = useState(false);
  const counts: Readonly<Record<string, readonly [count: string, kind: string]>> = {
    '/console/withdrawals': [data?.heldWithdrawals ?? '0', 'warn'],
    '/console/deposits': [data?.waitingDeposits ?? '0', ''],
    '/console/risk': [data?.liquidating ?? '0', 'bad'],
  };
  useEffect(() => {
    if (!isOpen) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setOpen(false);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isOpen]);
  return (
    <nav className={isOpen ? 'rail open' : 'rail'} aria-label="Console">
      <div className="brand">
        <a className="logo" {...linkTo('/console')}>
          <Logo />
          <span>
            Rialto <em>Console</em>
          </span>
        </a>
        <button
          type="button"
          className="btn rail-menu"
          aria-expanded={isOpen}
          aria-controls="rail-list"
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name={isOpen ? 'x' : 'list'} />
          Menu
        </button>
      </div>
      <ul id="rail-list">
        {ROUTES.map((one) => {
          const [count = '0', kind = ''] = counts[one.path] ?? [];
          return (
            <li key={one.path} className={'isApart' in one ? 'apart' : undefined}>
              <a
                {...linkTo(one.path)}
                aria-current={route === one.path ? 'page' : undefined}
                onClickCapture={() => setOpen(false)}
              >
                <Icon name={one.icon} />
                <span>{one.label}</span>
                {count === '0' ? null : <span className={`tally ${kind}`}>{count}</span>}
              </a>
            </li>
          );
        })}
      </ul>
      <span className="grow" />
      <Me operator={operator} />
    </nav>
  );
}

function Me({ operator }: { readonly operator: Operator }) {
  const isDark = useStore(settings, themeNow) === 'dark';
  return (
    <div className="me">
      <span className="circle on" aria-hidden="true">
        {initialOf(operator.actor)}
      </span>
      <span className="who">
        <b>{nameOf(operator.actor)}</b>
        <span className="t3">{operator.roles.join(' · ') || 'no role'}</span>
      </span>
      <button
        type="button"
        className="btn icon ghost"
        aria-label={isDark ? 'Switch to light theme' : 'Switch to dark theme'}
        onClick={() => settings.update((all) => ({ ...all, theme: isDark ? 'light' : 'dark' }))}
      >
        <Icon name={isDark ? 'sun' : 'moon'} />
      </button>
      <button
        type="button"
        className="btn icon ghost"
        aria-label="Sign out"
        onClick={() => void signOut()}
      >
        <Icon name="x" />
      </button>
    </div>
  );
}

export function Header(props: { readonly query: URLSearchParams; readonly operator: Operator }) {
  const [isHalting, setHalting] = useState(false);
  const nowMs = useStore(now, (ms) => ms);
  return (
    <>
      <header className="head">
        <Search first={props.query.get('q') ?? ''} />
        <span className="grow" />
        <Invariants />
        <span className="st utc">
          <Icon name="clock" />
          <span className="num">{clockText(nowMs)}</span> UTC
        </span>
        <ActButton
          {...{ operator: props.operator, endpoint: setMarketState, className: 'btn danger' }}
          onClick={() => setHalting(true)}
        >
          <Icon name="pause" />
          <span>
            Halt<span className="wide"> a market</span>…
          </span>
        </ActButton>
      </header>
      {/* Not in the banner: the dialog has a header of its own. */}
      {isHalting ? (
        <HaltDialog operator={props.operator} onClose={() => setHalting(false)} />
      ) : null}
    </>
  );
}

/** "/" anywhere moves the focus here. */
function Search({ first }: { readonly first: string }) {
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(first);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test((event.target as Element).tagName ?? '');
      if (event.key !== '/' || isTyping || event.metaKey || event.ctrlKey) return;
      event.preventDefault();
      field.current?.focus();
      field.current?.select();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const onSubmit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (text.trim() !== '') navigate(`${SEARCH_PATH}?q=${encodeURIComponent(text.trim())}`);
  };
  return (
    <search>
      <form className="find" onSubmit={onSubmit}>
        <Icon name="search" />
        <input
          ref={field}
          type="search"
          aria-label="Search"
          placeholder="Order, account, address or transaction"
          maxLength={128}
          spellCheck={false}
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
        <span className="kbd" aria-hidden="true">
          /
        </span>
      </form>
    </search>
  );
}

/** The last audit, and the writer; both grey with their time when no more data arrives. */
function Invariants() {
  const overview = useRead(getOverview, {});
  const nowMs = useStore(now, (ms) => ms);
  const oldSince = useOldSince([overview]);
  const { data } = overview;
  if (data === undefined) return <span className="st t3">Asking the venue…</span>;
  if (oldSince !== undefined) {
    return (
      <span className="st warn" role="status">
        <Icon name="warn" />
        Nothing heard since {clockText(oldSince)}
      </span>
    );
  }
  const { auditedAt, sequence, waiting, ordersRefused } = data;
  return (
    <>
      {auditedAt === undefined ? (
        <span className="st t2">
          <Icon name="clock" />
          <span className="narrow">Audit due</span>
          <span className="wide t3">none since the start</span>
        </span>
      ) : (
        <span className="st good">
          <Icon name="ok" />
          <span className="wider">Every invariant holds</span>
          <span className="narrow">Invariants</span>
          <span className="t3 wide">checked {ageText(nowMs - Number(auditedAt))} ago</span>
        </span>
      )}
      <span className={ordersRefused === undefined ? 'st writer' : 'st writer bad'}>
        <span className={ordersRefused === undefined ? 'dot good' : 'dot bad'} />
        Writer
        <span className="t3 num" title={ordersRefused ?? `${waiting} commands wait for the disk`}>
          {ordersRefused === undefined ? `seq ${grouped(sequence)}` : 'takes cancels only'}
        </span>
      </span>
    </>
  );
}

export function LostBar() {
  const lost = useLost();
  if (lost === undefined) return null;
  return (
    <p className="strip bad" role="alert">
      <Icon name="warn" />
      The venue has not answered since {clockText(lost.sinceMs)}. What is shown is of then.
      <button type="button" className="btn s" onClick={refreshAll}>
        Try now
      </button>
    </p>
  );
}

const WARNED_MS = 120_000;

export function SessionEnds({ operator }: { readonly operator: Operator }) {
  useStore(now, (ms) => ms);
  const leftMs = operator.endsAtMs - Date.now();
  if (leftMs > WARNED_MS) return null;
  return (
    <p className="strip warn" role="status">
      <Icon name="clock" />
      The session ends in {ageText(leftMs)}; then sign in again.
    </p>
  );
}
