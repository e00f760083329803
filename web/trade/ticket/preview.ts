import { useEffect, useRef, useState } from 'react';
import { type OrderSent, type ReplyOf, RialtoError } from '../../../src/client/index.ts';
import type { previewOrder } from '../../../src/wire/what-if.ts';
import { clientOf, endedBy, type Session } from '../../shared/session.ts';
import { live } from '../feed.ts';
import type { LiveState } from '../live-state.ts';

export type Preview = ReplyOf<typeof previewOrder>;

export type PreviewResult = {
  readonly data: Preview | undefined;
  readonly refusal: { readonly code: string; readonly message: string } | undefined;
  /** The account when the answer came: with a later one, the moves of the market would look like the order's. */
  readonly before: LiveState['account'];
};

const NOTHING: PreviewResult = { data: undefined, refusal: undefined, before: undefined };
const REFUSED = 400;
const TYPING_MS = 150;
const AGAIN_MS = 1_000;

/**
 * The venue's own estimate: requested shortly after the last key, then each second while it is visible. While
 * the connection is lost nothing is requested, and the last answer stays.
 */
export function usePreview(
  session: Session,
  order: OrderSent | undefined,
  isLost: boolean,
): PreviewResult {
  const [answer, setAnswer] = useState<PreviewResult & { readonly of: string }>();
  const wanted = order === undefined ? '' : JSON.stringify(order);
  const latest = useRef(order);
  latest.current = order;
  useEffect(() => {
    if (wanted === '' || isLost) return undefined;
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout>;
    const load = async (): Promise<void> => {
      if (!document.hidden && latest.current !== undefined) {
        try {
          const data = await clientOf(session).previewOrder(latest.current);
          const before = live.get().account;
          if (isCurrent) setAnswer({ of: wanted, data, refusal: data.refusal, before });
        } catch (reason) {
          if (endedBy(reason)) return;
          // An order that cannot even be parsed is refused as a whole, here as when it is sent.
          if (isCurrent && reason instanceof RialtoError && reason.status === REFUSED) {
            const { code, message } = reason;
            const refusal = { code, message };
            setAnswer({ of: wanted, data: undefined, refusal, before: undefined });
          }
        }
      }
      if (isCurrent) timer = setTimeout(() => void load(), AGAIN_MS);
    };
    timer = setTimeout(() => void load(), TYPING_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [wanted, session, isLost]);
  // An answer to another form is not shown.
  return answer !== undefined && answer.of === wanted ? answer : NOTHING;
}
