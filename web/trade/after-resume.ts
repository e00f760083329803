import { notifyQuietly } from '../shared/messages.tsx';
import { clientOf, sessions } from '../shared/session.ts';
import { differencesOf } from './compare.ts';
import { live } from './feed.ts';

const SETTLE_MS = 2_000;
const TRIES = 3;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * After the stream has resumed, orders and balances are compared once with REST. Changes between the two
 * requests make a momentary difference: only one that persists in several attempts is a defect.
 */
export async function compareWithVenue(): Promise<readonly string[]> {
  let found: readonly string[] | undefined;
  for (let tries = 0; tries < TRIES; tries++) {
    await wait(SETTLE_MS);
    const { session } = sessions.get();
    if (session === undefined) return [];
    const client = clientOf(session);
    try {
      const [orders, owners] = await Promise.all([client.workingOrders(), client.balances()]);
      if (sessions.get().session !== session) return [];
      const own = owners.find(({ accountId }) => accountId === session.accountId);
      const now = differencesOf(live.get(), { orders, balances: own?.balances ?? [] });
      // A momentary difference is another one in the next attempt.
      const still = new Set(now);
      found = found === undefined ? now : found.filter((words) => still.has(words));
    } catch {
      // The stream is lost again; the next resume compares.
      return [];
    }
    if (found.length === 0) return found;
  }
  if (found === undefined) return [];
  const words = found.slice(0, 5).join('; ');
  console.error(`defect: the page differs from the venue after a resume: ${words}`);
  notifyQuietly('bad', 'The page differed from the venue', words);
  return found;
}
