import { useEffect, useState } from 'react';
import { connection } from './feed.ts';

/**
 * The venue answers a ping each second, even if nothing changes: a longer silence means that the connection
 * is lost.
 */
const STALE_MS = 3_000;

/** Since when the shown data is stale; undefined if it is current. */
export function useOldSince(): number | undefined {
  const [since, setSince] = useState<number>();
  useEffect(() => {
    const look = (): void => {
      const { heardAtMs, isLive } = connection.get();
      const isOld = heardAtMs > 0 && (!isLive || Date.now() - heardAtMs > STALE_MS);
      setSince(isOld ? heardAtMs : undefined);
    };
    const timer = setInterval(look, 1_000);
    return () => clearInterval(timer);
  }, []);
  return since;
}
