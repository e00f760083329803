import { useCallback, useEffect, useRef, useState } from 'react';
import { endedBy } from './session.ts';

export type Query<Data> = {
  /** The last answer stays until the next arrives. */
  readonly data: Data | undefined;
  /** The answer to what is asked now: an address, a fee or a sum of something else would be wrong here. */
  readonly current: Data | undefined;
  /** Why what is asked now has no answer. */
  readonly failure: unknown;
  readonly isLoading: boolean;
  refetch(): void;
};

/** Data and failure, each with the dependencies of its request. */
type State<Data> = Omit<Query<Data>, 'refetch' | 'current'> & {
  readonly dataOf: string | undefined;
  readonly failureOf: string | undefined;
};
const NOTHING = {
  ...{ data: undefined, dataOf: undefined, failure: undefined, failureOf: undefined },
  isLoading: false,
};

/** The value, at most once in each period: what changes with every message must not send a request for each. */
export function usePaced<Value>(value: Value, everyMs: number): Value {
  const [paced, setPaced] = useState(value);
  const changedAt = useRef(Number.NEGATIVE_INFINITY);
  useEffect(() => {
    if (Object.is(value, paced)) return undefined;
    const change = (): void => {
      changedAt.current = performance.now();
      setPaced(value);
    };
    const timer = setTimeout(change, changedAt.current + everyMs - performance.now());
    return () => clearTimeout(timer);
  }, [value, paced, everyMs]);
  return paced;
}

/** Sends a request when its dependencies change, and again on demand or each period. */
export function useQuery<Data>(
  fetchData: (() => Promise<Data>) | undefined,
  dependsOn: string,
  everyMs?: number,
): Query<Data> {
  const [{ data, dataOf, failure, failureOf, isLoading }, setState] = useState<State<Data>>({
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
      (answer) => isCurrent && setState({ ...NOTHING, data: answer, dataOf: dependsOn }),
      (reason: unknown) => {
        endedBy(reason);
        const failed = { failure: reason, failureOf: dependsOn, isLoading: false };
        if (isCurrent) setState((before) => ({ ...before, ...failed }));
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
  return {
    ...{ data, isLoading, refetch },
    current: isEnabled && dataOf === dependsOn ? data : undefined,
    failure: failureOf === dependsOn ? failure : undefined,
  };
}
