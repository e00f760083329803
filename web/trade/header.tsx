import './header.css';
import { useState } from 'react';
import { useAsk } from '../shared/ask.ts';
import { Icon, Logo } from '../shared/icons.tsx';
import { sayRefusal } from '../shared/messages.tsx';
import { linkTo, navigate } from '../shared/navigate.ts';
import { fixed, NONE, nativeText } from '../shared/number-text.ts';
import { beginSession, clientOf, type Session, sessions, signOut } from '../shared/session.ts';
import { settings, themeNow } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import { live } from './feed.ts';
import { isSigningIn } from './sign-in.tsx';

export const ROUTES = [
  { path: '/', label: 'Trade' },
  { path: '/portfolio', label: 'Portfolio' },
  { path: '/wallet', label: 'Wallet' },
  { path: '/accounts', label: 'Sub-accounts' },
  { path: '/keys', label: 'API keys' },
  { path: '/history', label: 'History' },
] as const;

export function Header(props: { readonly path: string; readonly onFind: () => void }) {
  const session = useStore(sessions, (signed) => signed.session);
  useStore(settings, (all) => all.theme);
  const isDark = themeNow() === 'dark';
  return (
    <header className="top">
      <a className="logo" {...linkTo('/')}>
        <Logo />
        <span>Rialto</span>
      </a>
      <nav className="main" aria-label="Pages">
        {ROUTES.map(({ path, label }) => (
          <a key={path} {...linkTo(path)} aria-current={path === props.path ? 'page' : undefined}>
            {label}
          </a>
        ))}
        <a href="/docs">Docs</a>
      </nav>
      <button type="button" className="find" onClick={props.onFind}>
        <Icon name="search" />
        <span className="words">Search markets and actions</span>
        <span className="kbd" aria-hidden="true">
          ⌘K
        </span>
      </button>
      <span className="grow" />
      {session === undefined ? (
        <button type="button" className="btn primary" onClick={() => isSigningIn.set(true)}>
          Sign in
        </button>
      ) : (
        <AccountMenu session={session} />
      )}
      <button
        type="button"
        className="btn icon ghost"
        id="theme"
        aria-label={isDark ? 'Switch to light theme' : 'Switch to dark theme'}
        onClick={() => settings.update((all) => ({ ...all, theme: isDark ? 'light' : 'dark' }))}
      >
        <Icon name={isDark ? 'sun' : 'moon'} />
      </button>
      <a className="btn icon ghost desk" {...linkTo('/settings')}>
        <Icon name="gear" />
        <span className="sr">Settings</span>
      </a>
    </header>
  );
}

/** The account with its two figures; opens the list of accounts of the family. */
function AccountMenu({ session }: { readonly session: Session }) {
  const account = useStore(live, (state) => state.account);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="acct" popoverTarget="accounts" onClick={() => setOpen(true)}>
        <span className="who desk">
          <span>Account</span>
          <b>{session.name}</b>
        </span>
        <span className="vsep" />
        <span className="who desk">
          <span>Collateral</span>
          <b className="num">{nativeText(account?.collateral)} OX</b>
        </span>
        <span className="vsep" />
        <span className="who">
          <span>Margin ratio</span>
          <b className="num">{account === undefined ? NONE : fixed(account.marginRatio, 1)}</b>
        </span>
        <Icon name="down" />
      </button>
      <div id="accounts" popover="auto" className="menu">
        {isOpen ? <Accounts session={session} /> : null}
        <hr />
        <button type="button" onClick={() => navigate('/settings')}>
          Settings
        </button>
        <button type="button" onClick={() => void signOut()}>
          Sign out
        </button>
      </div>
    </>
  );
}

function Accounts({ session }: { readonly session: Session }) {
  const { data } = useAsk(() => clientOf(session).accountNames(), session.accessKey);
  const turnTo = async (account: string): Promise<void> => {
    try {
      await beginSession(await clientOf(session).openSession({ account }));
      document.getElementById('accounts')?.hidePopover();
    } catch (reason) {
      sayRefusal('Not switched', reason);
    }
  };
  return (
    <>
      <p className="gh">Accounts</p>
      <button type="button" aria-current="true">
        {session.name} <span className="t3">{session.accountId}</span>
      </button>
      {(data ?? [])
        .filter(({ accountId }) => accountId !== session.accountId)
        .map(({ accountId, name }) => (
          <button type="button" key={accountId} onClick={() => void turnTo(name)}>
            {name} <span className="t3">{accountId}</span>
          </button>
        ))}
    </>
  );
}
