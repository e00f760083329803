import './pages.css';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { Messages } from '../shared/messages.tsx';
import { linkTo } from '../shared/navigate.ts';
import { type Session, sessions } from '../shared/session.ts';
import { useStore } from '../shared/store.ts';
import { isSigningIn } from '../trade/sign-in.tsx';
import { AccountsPage } from './accounts/accounts.tsx';
import { HistoryPage } from './history/history.tsx';
import { KeysPage } from './keys/keys.tsx';
import { PortfolioPage } from './portfolio/portfolio.tsx';
import { SettingsPage } from './settings/settings.tsx';
import { WalletPage } from './wallet/wallet.tsx';

const SIGNED: Readonly<
  Record<
    string,
    { readonly title: string; readonly Page: (props: { session: Session }) => React.JSX.Element }
  >
> = {
  '/portfolio': { title: 'Portfolio', Page: PortfolioPage },
  '/wallet': { title: 'Wallet', Page: WalletPage },
  '/accounts': { title: 'Sub-accounts', Page: AccountsPage },
  '/keys': { title: 'API keys', Page: KeysPage },
  '/history': { title: 'History', Page: HistoryPage },
};

/** Everything beside the trade view; loaded on demand. */
export default function Pages({ path }: { readonly path: string }) {
  const { session, isKnown, ended } = useStore(sessions, (signed) => signed);
  const found = SIGNED[path];
  // An expired session leaves its page as it is, including forms, until its owner has signed in again.
  const shown = session ?? ended;
  const title = path === '/settings' ? 'Settings' : (found?.title ?? 'No such page');
  return (
    <Frame title={title} path={path} isOver={session === undefined && ended !== undefined}>
      {path === '/settings' ? <SettingsPage session={shown} key={shown?.accountId} /> : null}
      {found !== undefined && shown !== undefined ? (
        <found.Page session={shown} key={shown.accountId} />
      ) : null}
      {found !== undefined && isKnown && shown === undefined ? <SignInFirst /> : null}
    </Frame>
  );
}

const SignInFirst = () => (
  <section className="panel" aria-label="Sign in">
    <div className="empty">
      <b>Nobody is signed in</b>
      <button type="button" className="btn primary" onClick={() => isSigningIn.set(true)}>
        Sign in
      </button>
    </div>
  </section>
);

function Frame(props: {
  readonly title: string;
  readonly path: string;
  readonly isOver: boolean;
  readonly children: React.ReactNode;
}) {
  const { title, path, isOver, children } = props;
  useEffect(() => {
    document.title = `${title} · Rialto`;
  }, [title]);
  useEffect(() => {
    if (isOver) isSigningIn.set(true);
  }, [isOver]);
  const nav = useRef<HTMLElement>(null);
  // On a phone not all of them fit: the one that is open is in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is open
  useLayoutEffect(() => {
    const here = nav.current?.querySelector('[aria-current]')?.getBoundingClientRect();
    const frame = nav.current?.getBoundingClientRect();
    if (here === undefined || frame === undefined) return;
    nav.current?.scrollBy(here.left - frame.left - (frame.width - here.width) / 2, 0);
  }, [path]);
  return (
    <main className={`page page${path.replace('/', '-')}`} id="ticket">
      <h1>{title}</h1>
      <nav className="pg-nav" aria-label="Pages beside Trade" ref={nav}>
        {[...Object.entries(SIGNED), ['/settings', { title: 'Settings' }] as const].map(
          ([to, page]) => (
            <a key={to} {...linkTo(to)} aria-current={to === path ? 'page' : undefined}>
              {page.title}
            </a>
          ),
        )}
      </nav>
      {isOver ? (
        <p className="pg-warning" role="alert">
          The session has ended. What you typed is still here.
          <button type="button" className="btn s" onClick={() => isSigningIn.set(true)}>
            Sign in again
          </button>
        </p>
      ) : null}
      {children}
      <Messages />
    </main>
  );
}
