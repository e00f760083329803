import { useCallback, useEffect, useRef, useState } from 'react';
import { endedBy } from './session.ts';

export type Asked<Data> = {
  /** The last answer stays until the next arrives. */
  readonly data: Data | undefined;
  readonly failure: unknown;
  readonly isAsking: boolean;
  again(): void;
};

/** Sends a request when its dependencies change, and again on demand or each period. */
export function useAsk<Data>(
  ask: (() => Promise<Data>) | undefined,
  dependsOn: string,
  everyMs?: number,
): Asked<Data> {
  const [state, setState] = useState<Omit<Asked<Data>, 'again'>>({
    data: undefined,
    failure: undefined,
    isAsking: ask !== undefined,
  });
  const [round, setRound] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  const isAskable = ask !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round asks again
  useEffect(() => {
    let isCurrent = true;
    if (latest.current === undefined) {
      setState({ data: undefined, failure: undefined, isAsking: false });
      return undefined;
    }
    setState((before) => ({ ...before, isAsking: true }));
    latest.current().then(
      (data) => isCurrent && setState({ data, failure: undefined, isAsking: false }),
      (failure: unknown) => {
        endedBy(failure);
        if (isCurrent) setState((before) => ({ ...before, failure, isAsking: false }));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [dependsOn, isAskable, round]);
  const again = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) again();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, again]);
  return { ...state, again };
}
