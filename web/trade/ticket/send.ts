import { useEffect, useRef, useState } from 'react';
import { placeOrders } from '../../../src/wire/orders.ts';
import { askerNow } from '../../shared/asker.ts';
import { unlocked } from '../../shared/form-sending.ts';
import { grouped } from '../../shared/number-text.ts';
import { isRefused } from '../../shared/outcome.ts';
import { sendSurely } from '../../shared/send-surely.ts';
import { clientOf, endedBy, type Session } from '../../shared/session.ts';
import { settings } from '../../shared/settings.ts';
import { book, live, type Market } from '../feed.ts';
import { bandNow } from '../price-band.ts';
import { inBase } from './field.tsx';
import { correctInTicket } from './fill-in.ts';
import {
  buttonText,
  type Form,
  type Made,
  type Refused,
  reasonToConfirm,
  refusedIn,
  usualSize,
} from './form.ts';
import { outcomeOf } from './outcome-words.ts';
import type { PreviewResult } from './preview.ts';
import { afterPreview, type ShownRefusal } from './shown-refusal.ts';
import { noteSize, sentSizes } from './sizes.ts';
import { isSheet } from './ticket-state.ts';

/**
 * After this long a different order may be meant; a second press within it does not send the same one again.
 */
const UNLOCK_MS = 300;

type Sent = {
  readonly market: Market;
  readonly session: Session;
  readonly form: Form;
  readonly made: Made;
  readonly preview: PreviewResult;
  /** Nothing can be sent until the connection is back. */
  readonly isLost: boolean;
};

/** One press, one order: a possible confirmation, and the venue's answer. */
export function useSending({ market, session, form, made, preview, isLost }: Sent) {
  const [isSending, setSending] = useState(false);
  const [isWaiting, setWaiting] = useState(false);
  const lock = useRef(false);
  const [refusal, setRefusal] = useState<ShownRefusal>();
  const [question, setQuestion] = useState<{ readonly of: string; readonly words: string }>();
  // The book, the chart and the positions fill the ticket, too: a message about another order must not be
  // shown for this one.
  const shown = JSON.stringify([market.marketCode, form]);
  const refused = refusal?.of === shown ? refusal.detail : undefined;
  const confirmation = question?.of === shown ? question.words : undefined;
  const showRefusal = (code: string, detail: Refused): void => {
    const isForeseen = preview.refusal?.code === code;
    setRefusal({ of: shown, code, detail, isForeseen, seen: preview });
  };
  useEffect(() => setRefusal((before) => afterPreview(before, preview)), [preview]);
  const setConfirmation = (words: string | undefined): void =>
    setQuestion(words === undefined ? undefined : { of: shown, words });
  const [hasTried, setTried] = useState(false);
  /** The form has changed: earlier messages about it no longer apply. */
  const forget = (): void => {
    setRefusal(undefined);
    setConfirmation(undefined);
  };
  const asker = askerNow(session);
  const refusalOf = (code: string, message: string): Refused => {
    const band = bandNow(market, live.get().statuses[market.marketCode]);
    return refusedIn(form, { ...market, ...band }, code, message);
  };
  const refuse = (code: string, message: string): void => {
    const found = refusalOf(code, message);
    const { field, words, nearest } = found;
    showRefusal(code, found);
    const act =
      field === undefined || nearest === undefined
        ? undefined
        : {
            label: `Use ${grouped(nearest)}`,
            run: () => {
              forget();
              correctInTicket(form, market, { [field]: nearest, ...inBase(field) });
            },
          };
    // On a phone the ticket covers the page: the refusal at the field must not be covered by a message with
    // the same text.
    const isQuiet = isSheet.get() && field !== undefined;
    asker.notify('bad', 'Order refused', words, act, isQuiet);
  };
  const reason = (): string | undefined => {
    const { asks, bids } = book.get();
    const best = (form.side === 'BUY' ? asks : bids)[0]?.[0];
    return reasonToConfirm(form, preview.data ?? {}, {
      best: best === undefined ? undefined : String(best),
      confirmsMarket: settings.get().asksForMarketOrders,
      usual: usualSize(sentSizes.get()[market.marketCode]),
      prices: live.get().tickers[market.marketCode],
    });
  };
  const send = async (isAnyway = false): Promise<void> => {
    if (isLost || lock.current) return;
    setTried(true);
    if (!('order' in made)) return;
    const expectedRefusal = preview.refusal;
    if (expectedRefusal !== undefined && !isAnyway) {
      setConfirmation(undefined);
      const { code, message } = expectedRefusal;
      showRefusal(code, refusalOf(code, message));
      return;
    }
    const why = isAnyway ? undefined : reason();
    // Confirmed once, whatever the reason has become meanwhile.
    if (why !== undefined && confirmation === undefined) {
      setConfirmation(why);
      return;
    }
    lock.current = true;
    setSending(true);
    let isTaken = false;
    let focused: Element | null = null;
    try {
      const [answer] = await sendSurely(clientOf(session), {
        endpoint: placeOrders,
        request: { responseType: 'FULL', orders: [made.order] },
        onWaiting: () => {
          focused ??= document.activeElement;
          setWaiting(true);
        },
      });
      if (answer?.submitted === false) refuse(answer.code ?? '', answer.message ?? '');
      else {
        isTaken = true;
        setRefusal(undefined);
        setTried(false);
        if (made.order.quantity !== undefined) noteSize(market.marketCode, made.order.quantity);
        const words = buttonText(form, market);
        const { kind, title, text } = outcomeOf(answer ?? {}, { ...market, words });
        asker.notify(kind, title, text);
      }
    } catch (reason) {
      if (!endedBy(reason)) {
        const isCertain = isRefused(reason);
        if (isCertain) showRefusal(reason.code, refusalOf(reason.code, reason.message));
        // Without an answer it may have been taken: nobody must send it again because of this title.
        const title = isCertain ? 'Order not sent' : 'No answer to the order';
        asker.notifyRefusal(title, reason);
      }
    }
    unlocked(
      () => {
        setConfirmation(undefined);
        setWaiting(false);
      },
      { form: null, before: focused },
    );
    const unlock = (): void => {
      lock.current = false;
      setSending(false);
    };
    // A refused order is corrected and sent again at once; a second press after an accepted one is a slip.
    if (isTaken) setTimeout(unlock, UNLOCK_MS);
    else unlock();
  };
  return { isSending, isWaiting, refused, confirmation, hasTried, send, forget };
}
