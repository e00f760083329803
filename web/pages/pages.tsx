import './pages.css';
import { type Session, sessions } from '../shared/session.ts';
import { useStore } from '../shared/store.ts';
import { isSigningIn } from '../trade/sign-in.tsx';
import { HistoryPage } from './history.tsx';
import { KeysPage } from './keys.tsx';
import { PortfolioPage } from './portfolio.tsx';
import { SettingsPage } from './settings.tsx';
import { WalletPage } from './wallet.tsx';

const SIGNED: Readonly<
  Record<
    string,
    { readonly title: string; readonly Page: (props: { session: Session }) => React.JSX.Element }
  >
> = {
  '/portfolio': { title: 'Portfolio', Page: PortfolioPage },
  '/wallet': { title: 'Wallet', Page: WalletPage },
  '/keys': { title: 'API keys', Page: KeysPage },
  '/history': { title: 'History', Page: HistoryPage },
};

/** Everything beside the trade view; loaded when somebody goes there. */
export default function Pages({ path }: { readonly path: string }) {
  const { session, isKnown } = useStore(sessions, (signed) => signed);
  const found = SIGNED[path];
  if (path === '/settings')
    return <Frame title="Settings">{<SettingsPage session={session} />}</Frame>;
  if (found === undefined) return <Frame title="No such page">{null}</Frame>;
  const { title, Page } = found;
  if (!isKnown) return <Frame title={title}>{null}</Frame>;
  if (session === undefined) {
    return (
      <Frame title={title}>
        <section className="panel" aria-label="Sign in">
          <div className="empty">
            <b>Nobody is signed in</b>
            <button type="button" className="btn primary" onClick={() => isSigningIn.set(true)}>
              Sign in
            </button>
          </div>
        </section>
      </Frame>
    );
  }
  return (
    <Frame title={title}>
      <Page session={session} key={session.accessKey} />
    </Frame>
  );
}

function Frame(props: { readonly title: string; readonly children: React.ReactNode }) {
  document.title = `${props.title} · Rialto`;
  return (
    <main className="page" id="ticket">
      <h1>{props.title}</h1>
      {props.children}
    </main>
  );
}
