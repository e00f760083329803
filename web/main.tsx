import './shared/tokens.css';
import './shared/base.css';
import './trade/frame.css';
import { lazy, StrictMode, Suspense, useCallback, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { ConfirmDialog } from './shared/confirm.tsx';
import { Icon } from './shared/icons.tsx';
import { keepFocus } from './shared/keep-focus.ts';
import { linkTo, useAddress } from './shared/navigate.ts';
import { readVenueClock, recallSession } from './shared/session.ts';
import { startSessionWatch } from './shared/session-watch.ts';
import { showSettings } from './shared/settings.ts';
import { useStore } from './shared/store.ts';
import { noteReading, venueClockRead } from './shared/venue-clock.ts';
import { compareWithVenue } from './trade/after-resume.ts';
import { failedToStart, startFeed, whenResumed } from './trade/feed.ts';
import { Header } from './trade/header.tsx';
import { followAddress } from './trade/market-address.ts';
import { startOwnNews } from './trade/own-news.ts';
import { Palette } from './trade/palette.tsx';
import { spoken } from './trade/read-aloud.ts';
import { SessionEnd } from './trade/session-end.tsx';
import { ShortcutsDialog, useShortcuts } from './trade/shortcuts.tsx';
import { SignInDialog } from './trade/sign-in.tsx';
import { watchFrames } from './trade/slow-frames.ts';
import { StatusBar } from './trade/status-bar.tsx';
import { TradeView } from './trade/trade-view.tsx';

const Pages = lazy(() => import('./pages/pages.tsx'));

type Shown = 'palette' | 'shortcuts' | undefined;

const TAB_BAR = [
  { path: '/', label: 'Trade', icon: 'chart' },
  { path: '/portfolio', label: 'Positions', icon: 'layers' },
  { path: '/wallet', label: 'Wallet', icon: 'wallet' },
  { path: '/settings', label: 'Settings', icon: 'gear' },
] as const;

function App() {
  const address = useAddress();
  const path = new URL(address, location.origin).pathname;
  const isTrade = path === '/' || path.startsWith('/trade');
  const [shown, setShown] = useState<Shown>();
  const onFind = useCallback(() => setShown('palette'), []);
  const onHelp = useCallback(() => setShown('shortcuts'), []);
  const onClose = useCallback(() => setShown(undefined), []);
  useShortcuts(onFind, onHelp);
  const failure = useStore(failedToStart, (words) => words);
  const words = useStore(spoken, (text) => text);
  return (
    <>
      <a className="skip" href="#ticket">
        {isTrade ? 'Skip to the order ticket' : 'Skip to the content'}
      </a>
      <Header path={isTrade ? '/' : path} onFind={onFind} />
      {failure === undefined ? null : (
        <p className="banner bad" role="alert">
          The venue does not answer: {failure}. It is asked again every two seconds.
        </p>
      )}
      {isTrade ? (
        <TradeView onPick={onFind} />
      ) : (
        <Suspense fallback={<main className="page" aria-busy="true" />}>
          <Pages path={path} />
        </Suspense>
      )}
      <StatusBar onHelp={onHelp} />
      <nav className="tabbar" aria-label="Sections">
        <button type="button" aria-haspopup="dialog" onClick={onFind}>
          <Icon name="list" />
          Markets
        </button>
        {TAB_BAR.map(({ path: to, label, icon }) => (
          <a
            key={to}
            {...linkTo(to)}
            aria-current={(isTrade ? '/' : path) === to ? 'page' : undefined}
          >
            <Icon name={icon} />
            {label}
          </a>
        ))}
      </nav>
      <div className="sr" role="status">
        {words}
      </div>
      <SignInDialog />
      <SessionEnd />
      <ConfirmDialog />
      {shown === 'palette' ? <Palette onClose={onClose} /> : null}
      {shown === 'shortcuts' ? <ShortcutsDialog onClose={onClose} /> : null}
    </>
  );
}

/** WebCrypto is available on localhost and over TLS only. */
const Insecure = () => (
  <main className="page">
    <h1>Rialto</h1>
    <p>
      This page signs every request in the browser, and browsers allow that only on localhost or
      over TLS. Open it at <b>http://localhost:{location.port}</b> on the machine of the venue, or
      give the venue a certificate.
    </p>
  </main>
);

showSettings();
const root = document.getElementById('root');
if (root !== null) {
  createRoot(root).render(
    <StrictMode>{globalThis.crypto?.subtle === undefined ? <Insecure /> : <App />}</StrictMode>,
  );
}
followAddress();
keepFocus();
if (globalThis.crypto?.subtle !== undefined) {
  noteReading(readVenueClock());
  void venueClockRead().then(recallSession);
  whenResumed(() => void compareWithVenue());
  void startFeed();
  startOwnNews();
  startSessionWatch();
  watchFrames();
}
