import { useEffect, useState } from 'react';
import { Dialog } from '../shared/dialog.tsx';
import { countdownText } from '../shared/number-text.ts';
import { sessions } from '../shared/session.ts';
import { useStore } from '../shared/store.ts';
import { venueNowMs } from '../shared/venue-clock.ts';
import { isSigningIn } from './sign-in.tsx';

const WARN_MS = 120_000;

/** Two minutes before the session ends: sign in again without losing the contents of the ticket. */
export function SessionEnd() {
  const { session, ended } = useStore(sessions, (signed) => signed);
  const isOpen = useStore(isSigningIn, (is) => is);
  const [leftMs, setLeftMs] = useState<number>();
  const [later, setLater] = useState<string>();
  useEffect(() => {
    if (session === undefined) {
      setLeftMs(undefined);
      return undefined;
    }
    const look = (): void => setLeftMs(session.expiresAt - venueNowMs());
    look();
    const timer = setInterval(look, 1_000);
    return () => clearInterval(timer);
  }, [session]);
  // It has expired, nobody signed out: its owner is asked to sign in at once.
  useEffect(() => {
    if (ended !== undefined) isSigningIn.set(true);
  }, [ended]);
  if (session === undefined || leftMs === undefined || leftMs > WARN_MS) return null;
  if (isOpen || later === session.accessKey) return null;
  return (
    <Dialog
      title="Your session ends soon"
      className="narrow"
      onClose={() => setLater(session.accessKey)}
    >
      <div className="body">
        <p>
          It ends in <b className="num">{countdownText(leftMs)}</b>. Sign in again to go on; what
          stands in the ticket is kept, open orders are not touched.
        </p>
        <div className="acts">
          <button type="button" className="btn tall" onClick={() => setLater(session.accessKey)}>
            Later
          </button>
          <button
            type="button"
            className="btn tall primary"
            // biome-ignore lint/a11y/noAutofocus: it is what the dialog is for
            autoFocus
            onClick={() => {
              setLater(session.accessKey);
              isSigningIn.set(true);
            }}
          >
            Sign in again
          </button>
        </div>
      </div>
    </Dialog>
  );
}
