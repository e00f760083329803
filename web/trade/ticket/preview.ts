import { useEffect, useRef, useState } from 'react';
import type { OrderSent, ReplyOf } from '../../../src/client/index.ts';
import type { previewOrder } from '../../../src/wire/what-if.ts';
import { clientOf, endedBy, type Session } from '../../shared/session.ts';

export type Preview = ReplyOf<typeof previewOrder>;

const TYPING_MS = 150;
const AGAIN_MS = 1_000;

/** The venue's own estimate: asked shortly after the last key, then each second while it is looked at. */
export function usePreview(
  session: Session,
  order: OrderSent | undefined,
): { readonly data: Preview | undefined } {
  const [answer, setAnswer] = useState<{ readonly of: string; readonly data: Preview }>();
  const wanted = order === undefined ? '' : JSON.stringify(order);
  const latest = useRef(order);
  latest.current = order;
  useEffect(() => {
    if (wanted === '') return undefined;
    let isCurrent = true;
    let timer: ReturnType<typeof setTimeout>;
    const ask = async (): Promise<void> => {
      if (!document.hidden && latest.current !== undefined) {
        try {
          const data = await clientOf(session).previewOrder(latest.current);
          if (isCurrent) setAnswer({ of: wanted, data });
        } catch (reason) {
          if (endedBy(reason)) return;
        }
      }
      if (isCurrent) timer = setTimeout(() => void ask(), AGAIN_MS);
    };
    timer = setTimeout(() => void ask(), TYPING_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [wanted, session]);
  // An answer to another form is not shown.
  return { data: answer !== undefined && answer.of === wanted ? answer.data : undefined };
}
