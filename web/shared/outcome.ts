import { RialtoError } from '../../src/client/index.ts';

/** What is known after a request has failed. */

/** Only the venue's own word makes it certain that nothing was done. */
export const isRefused = (reason: unknown): reason is RialtoError =>
  reason instanceof RialtoError && !reason.isOutcomeUnknown;

/** How Chromium, Firefox, Safari and Node begin; there is no other mark of a request without an answer. */
const LOST =
  /^(failed to fetch|fetch failed|load failed|network ?error|error in input stream|the (network|internet) connection)/i;

/** A fault of the page itself is a TypeError, too, and must not be blamed on the venue. */
export const isLostAnswer = (reason: unknown): boolean =>
  reason instanceof TypeError && LOST.test(reason.message);
