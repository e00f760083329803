import { WORK_BOUNDS } from '../../domain/bounds.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';

/** What a request may still plan and match, in orders met; shared by its elements in order. */
export type Work = { planLeft: number; matchesLeft: number };

/** All that one request may. */
export const newWork = (): Work => ({
  planLeft: WORK_BOUNDS.planPerRequest,
  matchesLeft: WORK_BOUNDS.matchesPerRequest,
});

/** The bound that earlier elements have used up. */
export function refuseForWork({ matchesLeft }: Work): Refusal {
  return refuse(
    'BUSY',
    matchesLeft === 0
      ? `one request may make ${WORK_BOUNDS.matchesPerRequest} matches, and this one has; ` +
          'send the order in a request of its own'
      : `one request may plan ${WORK_BOUNDS.planPerRequest} fills, and this one has; ` +
          'send the order in a request of its own',
  );
}
