import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { FamilyIndex } from '../../domain/units.ts';
import { createThrottle } from '../http/throttle.ts';

/**
 * How many keys and sessions a family may create. The venue remembers each of them for a day after its end, and
 * looks through those of a family whenever one is added: whoever created them without pause would slow it down
 * for everybody. Those who prove the password have their own count, so that a stolen session cannot keep its
 * owner from signing in.
 */
export type NewKeys = (family: FamilyIndex, by: 'password' | 'key') => Refusal | undefined;

const RULE = { of: 'all', per: 'address', count: 120, perMs: 600_000 } as const;

export function limitNewKeys(nowMs: () => number): NewKeys {
  const throttle = createThrottle([RULE], nowMs);
  return (family, by) => {
    const verdict = throttle.take({ address: `${by} ${family}` });
    if (verdict?.isAllowed !== false) return undefined;
    return refuse(
      'RATE_LIMITED',
      `at most ${RULE.count} new keys and sessions in ten minutes; wait ${Math.ceil(verdict.waitMs / 1_000)} s`,
    );
  };
}
