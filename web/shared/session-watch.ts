import { RialtoError } from '../../src/client/index.ts';
import { clientOf, expire, type Session, sessions } from './session.ts';
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
 * its owner has left for another of the family: nobody is disconnected. Once the setting is off it is disarmed until
 * the venue has taken that: otherwise it would still go off.
 */
async function holdSwitch(): Promise<void> {
  const { session } = sessions.get();
  if (session === undefined) return;
  const isWanted = isSwitchWanted();
  const before = armed.get().accounts;
  const held = [session, ...(session.others ?? [])].filter(
    (one) => before.includes(one.accountId) || (isWanted && one === session),
  );
  if (held.length === 0) return;
  if (isWanted) armed.set({ accounts: held.map(({ accountId }) => accountId) });
  const holdMs = document.hidden ? HIDDEN_MS : DEAD_MAN_MS;
  const timeout = isWanted ? String(holdMs) : '0';
  // All at once: one that waited for another's answer could arm after the setting is off.
  await Promise.all(held.map((one) => setSwitch(one, timeout)));
}

async function setSwitch(one: Session, timeout: string): Promise<void> {
  try {
    await clientOf(one).cancelAllAfter({ timeout });
  } catch (reason) {
    const hasEnded = reason instanceof RialtoError && reason.status === 401;
    if (!hasEnded) return;
  }
  if (timeout !== '0' || isSwitchWanted()) return;
  armed.update(({ accounts }) => ({ accounts: accounts.filter((id) => id !== one.accountId) }));
}

const isSwitchWanted = (): boolean => settings.get().cancelsOnDisconnect;

export function startSessionWatch(): void {
  setInterval(lookAtTime, LOOK_MS);
  setInterval(() => void holdSwitch(), CALL_MS);
  settings.subscribe(() => void holdSwitch());
  sessions.subscribe(() => void holdSwitch());
  document.addEventListener('visibilitychange', () => void holdSwitch());
}
