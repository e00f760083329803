import { say } from './messages.tsx';
import { clientOf, expire, sessions, venueNowMs } from './session.ts';
import { settings } from './settings.ts';

/** What runs beside the panels while somebody is signed in. */

const WARN_MS = 120_000;
const LOOK_MS = 5_000;
/** The venue cancels when it has not been called for so long; called three times as often. */
const DEAD_MAN_MS = 30_000;
const CALL_MS = 10_000;

let warnedOf = '';

/** Two minutes before the end a word; at the end the page asks to sign in again, and keeps what was typed. */
function lookAtTime(): void {
  const { session } = sessions.get();
  if (session === undefined) return;
  const leftMs = session.expiresAt - venueNowMs();
  if (leftMs <= 0) {
    void expire();
  } else if (leftMs < WARN_MS && warnedOf !== session.accessKey) {
    warnedOf = session.accessKey;
    say('info', 'The session ends in two minutes', 'Sign in again then; what you type is kept.');
  }
}

let armedFor = '';

/** The dead-man switch of the venue, held for as long as this page is open and it is wanted. */
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
