import { useEffect, useState } from 'react';
import { connection } from './feed.ts';

/** The venue answers a ping each second, even where nothing changes: longer silence means that it is not heard. */
const STALE_MS = 3_000;

/** When what is shown was last true, where that is not now. */
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
