import type { StreamMessage } from '../../src/client/index.ts';
import { applyAll, type LiveState } from '../../web/trade/live-state.ts';

/** What the page knows after one more message. */
export const apply = (state: LiveState, message: StreamMessage): LiveState =>
  applyAll(state, [message]);
