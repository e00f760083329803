import '../shared/tokens.css';
import '../shared/base.css';
import './frame.css';
import './panel.css';
import './forms.css';
import { StrictMode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { keepFocus } from '../shared/keep-focus.ts';
import { Messages } from '../shared/messages.tsx';
import { useAddress } from '../shared/navigate.ts';
import { showSettings } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import { Accounts } from './accounts.tsx';
import { AuditLog } from './audit-log.tsx';
import { Deposits } from './deposits.tsx';
import { Header, LostBar, Rail, SessionEnds } from './frame.tsx';
import { Health } from './health.tsx';
import { Markets } from './markets.tsx';
import { Overview } from './overview.tsx';
import { startReads } from './reads.ts';
import { Risk } from './risk.tsx';
import { type Place, placeOf, ROUTES, SEARCH_PATH } from './routes.ts';
import { Search } from './search.tsx';
import { type Operator, recall, signed } from './session.ts';
import { SignIn } from './sign-in.tsx';
import { Solvency } from './solvency.tsx';
import { Withdrawals } from './withdrawals.tsx';

function Console({ operator }: { readonly operator: Operator }) {
  const { route, subject, query } = placeOf(useAddress());
  const label =
    ROUTES.find(({ path }) => path === route)?.label ??
    (route === SEARCH_PATH ? 'Search' : 'Nothing here');
  useEffect(() => {
    document.title = `${label} · Rialto console`;
  }, [label]);
  const place = { operator, subject, query };
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <Rail route={route} operator={operator} />
      <Header key={route} query={query} operator={operator} />
      <main id="content" tabIndex={-1}>
        <LostBar />
        <SessionEnds operator={operator} />
        <h1 className={route === '/console' ? 'sr' : 'title'}>{label}</h1>
        <Route route={route} {...place} />
      </main>
      <Messages />
    </div>
  );
}

function Route({ route, ...place }: Place & { readonly route: string }) {
  switch (route) {
    case '/console':
      return <Overview {...place} />;
    case '/console/withdrawals':
      return <Withdrawals {...place} />;
    case '/console/deposits':
      return <Deposits {...place} />;
    case '/console/risk':
      return <Risk />;
    case '/console/markets':
      return <Markets {...place} />;
    case '/console/accounts':
      return <Accounts {...place} />;
    case '/console/solvency':
      return <Solvency />;
    case '/console/audit':
      return <AuditLog key={place.query.toString()} {...place} />;
    case '/console/health':
      return <Health />;
    case SEARCH_PATH:
      return <Search {...place} />;
    default:
      return <p className="nothing">There is no page of the console at this address.</p>;
  }
}

function App() {
  const { operator, isKnown, ended } = useStore(signed, (all) => all);
  if (!isKnown) return <main aria-busy="true" />;
  return operator === undefined ? <SignIn ended={ended} /> : <Console operator={operator} />;
}

/** WebCrypto is available on localhost and over TLS only. */
const Insecure = () => (
  <main className="door">
    <h1>Rialto console</h1>
    <p>
      The console signs every request in the browser, and browsers allow that only on localhost or
      over TLS. Open it on the machine of the venue, or through a tunnel that ends on your own:{' '}
      <b>
        ssh -L {location.port}:127.0.0.1:{location.port} venue
      </b>
      , then http://localhost:
      {location.port}/console.
    </p>
  </main>
);

showSettings();
keepFocus();
const root = document.getElementById('root');
const isSecure = globalThis.crypto?.subtle !== undefined;
if (isSecure) {
  startReads();
  void recall();
}
if (root !== null) {
  createRoot(root).render(<StrictMode>{isSecure ? <App /> : <Insecure />}</StrictMode>);
}
