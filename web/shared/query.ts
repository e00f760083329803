import { useCallback, useEffect, useRef, useState } from 'react';
import { endedBy } from './session.ts';

export type Query<Data> = {
  /** The last answer stays until the next arrives. */
  readonly data: Data | undefined;
  /** The answer to what is asked now: an address, a fee or a sum of something else would be wrong here. */
  readonly current: Data | undefined;
  readonly failure: unknown;
  readonly isLoading: boolean;
  refetch(): void;
};

type State<Data> = Omit<Query<Data>, 'refetch' | 'current'> & {
  readonly dataOf: string | undefined;
};
const NOTHING = { data: undefined, dataOf: undefined, failure: undefined, isLoading: false };

/** Sends a request when its dependencies change, and again on demand or each period. */
export function useQuery<Data>(
  fetchData: (() => Promise<Data>) | undefined,
  dependsOn: string,
  everyMs?: number,
): Query<Data> {
  const [{ dataOf, ...state }, setState] = useState<State<Data>>({
    ...NOTHING,
    isLoading: fetchData !== undefined,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(fetchData);
  latest.current = fetchData;
  const isEnabled = fetchData !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round fetches again
  useEffect(() => {
    let isCurrent = true;
    if (latest.current === undefined) {
      setState(NOTHING);
      return undefined;
    }
    setState((before) => ({ ...before, isLoading: true }));
    latest.current().then(
      (data) => isCurrent && setState({ ...NOTHING, data, dataOf: dependsOn }),
      (failure: unknown) => {
        endedBy(failure);
        if (isCurrent) setState((before) => ({ ...before, failure, isLoading: false }));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [dependsOn, isEnabled, round]);
  const refetch = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) refetch();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, refetch]);
  const current = isEnabled && dataOf === dependsOn ? state.data : undefined;
  return { ...state, current, refetch };
}
