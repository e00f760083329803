import './header.css';
import { useEffect } from 'react';
import { COMMAND } from '../shared/command-key.ts';
import { Icon, Logo } from '../shared/icons.tsx';
import { Ratio } from '../shared/margin-ratio.tsx';
import { Bell } from '../shared/messages.tsx';
import { linkTo, navigate } from '../shared/navigate.ts';
import { type Session, sessions, signOut } from '../shared/session.ts';
import { settings, themeNow } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import { type FamilyAccount, readFamily, turnTo, useFamily } from './accounts.ts';
import { live } from './feed.ts';
import { isSigningIn } from './sign-in.tsx';
import { useValue } from './value.tsx';

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
  const isDark = useStore(settings, themeNow) === 'dark';
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
          {COMMAND}K
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
      <Bell />
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

/** The account with its two figures; opens the list of the family's accounts. */
function AccountMenu({ session }: { readonly session: Session }) {
  const account = useStore(live, (state) => state.account);
  const collateral = useValue()(account?.collateral);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another session may see others
  useEffect(() => void readFamily(), [session]);
  return (
    <>
      <button type="button" className="acct" popoverTarget="accounts">
        <span className="who desk">
          <span>Account</span>
          <b className="name" title={session.name}>
            {session.name}
          </b>
        </span>
        <span className="vsep wide" />
        <span className="who desk wide">
          <span>Collateral</span>
          <b className="num" title={account === undefined ? undefined : `${account.collateral} OX`}>
            {collateral.text} <i>{collateral.unit}</i>
          </b>
        </span>
        <span className="vsep" />
        <span className="who">
          <span>Margin ratio</span>
          <b className="num">
            <Ratio of={account?.marginRatio} />
          </b>
        </span>
        <Icon name="down" />
      </button>
      <div id="accounts" popover="auto" className="menu">
        <Accounts session={session} />
        <hr />
        <button
          type="button"
          onClick={() => {
            document.getElementById('accounts')?.hidePopover();
            navigate('/settings');
          }}
        >
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
  const all = useFamily();
  const choose = async (account: FamilyAccount): Promise<void> => {
    await turnTo(account);
    document.getElementById('accounts')?.hidePopover();
  };
  return (
    <>
      <p className="gh">Accounts</p>
      {all.map((account, at) => (
        <button
          type="button"
          key={account.accountId}
          aria-current={account.accountId === session.accountId ? 'true' : undefined}
          onClick={() => void choose(account)}
        >
          <span>
            {account.name} <span className="t3">{account.accountId}</span>
          </span>
          {at < 9 ? <span className="kbd">{`${COMMAND}${at + 1}`}</span> : null}
        </button>
      ))}
    </>
  );
}
