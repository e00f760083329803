import './pages.css';
import { sessions } from '../shared/session.ts';
import { useStore } from '../shared/store.ts';
import { isSigningIn } from '../trade/sign-in.tsx';

/** Everything beside the trade view; loaded when somebody goes there. */
export default function Pages({ path }: { readonly path: string }) {
  const { session, isKnown } = useStore(sessions, (signed) => signed);
  if (!isKnown) return <main className="page" aria-busy="true" />;
  return (
    <main className="page">
      <h1>{path}</h1>
      {session === undefined ? (
        <button type="button" className="btn primary" onClick={() => isSigningIn.set(true)}>
          Sign in
        </button>
      ) : null}
    </main>
  );
}
