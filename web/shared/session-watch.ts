import { clientOf, expire, sessions } from './session.ts';
import { settings } from './settings.ts';
import { keptStore } from './store.ts';
import { venueNowMs } from './venue-clock.ts';

/** Background work while somebody is signed in. */

const LOOK_MS = 5_000;
/** The venue cancels if it has not been called for this long; it is called three times as often. */
const DEAD_MAN_MS = 30_000;
const CALL_MS = 10_000;
/** Browsers wake a tab that nobody sees only once a minute. */
const HIDDEN_MS = 180_000;

/**
 * When the session ends the page asks to sign in again, and keeps what was typed; a dialog has warned before.
 */
function lookAtTime(): void {
  const { session } = sessions.get();
  if (session !== undefined && session.expiresAt <= venueNowMs()) void expire();
}

/** The accounts whose switch this browser has armed. */
const armed = keptStore<{ readonly accounts: readonly string[] }>('rialto-armed', { accounts: [] });

/**
 * The venue's dead-man switch, renewed while this page is open and the setting is on; also that of an account which
 * its owner has left for another of the family: nobody is disconnected.
 */
async function holdSwitch(): Promise<void> {
  const { session } = sessions.get();
  if (session === undefined) return;
  const isWanted = settings.get().cancelsOnDisconnect;
  const before = armed.get().accounts;
  const held = [session, ...(session.others ?? [])].filter(
    (one) => before.includes(one.accountId) || (isWanted && one === session),
  );
  if (held.length === 0) return;
  armed.set({ accounts: isWanted ? held.map(({ accountId }) => accountId) : [] });
  const holdMs = document.hidden ? HIDDEN_MS : DEAD_MAN_MS;
  const timeout = isWanted ? String(holdMs) : '0';
  for (const one of held) {
    await clientOf(one)
      .cancelAllAfter({ timeout })
      .catch(() => undefined);
  }
}

export function startSessionWatch(): void {
  setInterval(lookAtTime, LOOK_MS);
  setInterval(() => void holdSwitch(), CALL_MS);
  settings.subscribe(() => void holdSwitch());
  sessions.subscribe(() => void holdSwitch());
  document.addEventListener('visibilitychange', () => void holdSwitch());
}
