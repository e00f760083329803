import { useEffect, useState } from 'react';
import { venueTimeOf } from '../shared/venue-clock.ts';
import { connection } from './feed.ts';

/**
 * The venue answers a ping each second, even if nothing changes: a longer silence means that the connection
 * is lost.
 */
const STALE_MS = 3_000;

/** Since when, in the venue's time, the shown data is stale; undefined if it is current. */
export function useOldSince(): number | undefined {
  const [since, setSince] = useState<number>();
  useEffect(() => {
    const look = (): void => {
      const { receivedAtMs, isLive } = connection.get();
      const isOld = receivedAtMs > 0 && (!isLive || Date.now() - receivedAtMs > STALE_MS);
      setSince(isOld ? venueTimeOf(receivedAtMs) : undefined);
    };
    const timer = setInterval(look, 1_000);
    return () => clearInterval(timer);
  }, []);
  return since;
}
