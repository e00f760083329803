import { clientOf, expire, sessions } from './session.ts';
import { settings } from './settings.ts';
import { venueNowMs } from './venue-clock.ts';

/** Background work while somebody is signed in. */

const LOOK_MS = 5_000;
/** The venue cancels if it has not been called for this long; it is called three times as often. */
const DEAD_MAN_MS = 30_000;
const CALL_MS = 10_000;

/**
 * When the session ends the page asks to sign in again, and keeps what was typed; a dialog has warned before.
 */
function lookAtTime(): void {
  const { session } = sessions.get();
  if (session !== undefined && session.expiresAt <= venueNowMs()) void expire();
}

let armedFor = '';

/** The venue's dead-man switch, renewed while this page is open and the setting is on. */
async function holdSwitch(): Promise<void> {
  const { session } = sessions.get();
  const isWanted = settings.get().cancelsOnDisconnect;
  if (session === undefined || (!isWanted && armedFor !== session.accessKey)) return;
  armedFor = isWanted ? session.accessKey : '';
  const timeout = isWanted ? String(DEAD_MAN_MS) : '0';
  await clientOf(session)
    .cancelAllAfter({ timeout })
    .catch(() => undefined);
}

export function startSessionWatch(): void {
  setInterval(lookAtTime, LOOK_MS);
  setInterval(() => void holdSwitch(), CALL_MS);
  settings.subscribe(() => void holdSwitch());
  sessions.subscribe(() => void holdSwitch());
}
