import './ticket.css';
import { type SubmitEvent, useEffect, useId, useRef, useState } from 'react';
import { say, sayRefusal } from '../../shared/messages.tsx';
import { toStep } from '../../shared/number-text.ts';
import { clientOf, endedBy, type Session } from '../../shared/session.ts';
import { settings } from '../../shared/settings.ts';
import { useStore } from '../../shared/store.ts';
import { Choice, Tabs } from '../../shared/tabs.tsx';
import { book, live, type Market } from '../feed.ts';
import {
  buttonText,
  type Faults,
  type Form,
  fieldOf,
  isPerpetual,
  KINDS,
  type Kind,
  orderOf,
  reasonToAsk,
} from './form.ts';
import { Fields, Options, type Refused, Share } from './parts.tsx';
import { usePower } from './power.ts';
import { usePreview } from './preview.ts';
import { Receipt } from './receipt.tsx';
import { ticket } from './ticket-state.ts';

const KIND_WORDS: Readonly<Record<Kind, string>> = {
  LIMIT: 'Limit',
  MARKET: 'Market',
  STOP_LIMIT: 'Stop limit',
  STOP_MARKET: 'Stop market',
};

/** A different order may be meant after this long; the same one is not sent twice by a second press. */
const UNLOCK_MS = 300;

export function Ticket({
  market,
  session,
}: {
  readonly market: Market;
  readonly session: Session;
}) {
  const form = useStore(ticket, (all) => all);
  const change = (part: Partial<Form>): void => {
    setRefused(undefined);
    setAsked(undefined);
    ticket.update((before) => ({ ...before, ...part }));
  };
  const [isSending, setSending] = useState(false);
  const lock = useRef(false);
  const [refused, setRefused] = useState<Refused>();
  const [asked, setAsked] = useState<string>();
  const [hasTried, setTried] = useState(false);
  useFirstPrice(market);
  const made = orderOf(form, market);
  const preview = usePreview(session, 'order' in made ? made.order : undefined);
  const power = usePower(market, form);
  const best = useStore(book, ({ asks, bids }) => (form.side === 'BUY' ? asks : bids)[0]?.[0]);
  const send = async (): Promise<void> => {
    setTried(true);
    if (!('order' in made) || lock.current) return;
    const why = reasonToAsk(form, preview.data ?? {}, {
      best: best === undefined ? undefined : String(best),
      asksForMarket: settings.get().asksForMarketOrders,
    });
    if (why !== undefined && asked !== why) {
      setAsked(why);
      return;
    }
    lock.current = true;
    setSending(true);
    let isTaken = false;
    try {
      const [answer] = await clientOf(session).placeOrders({
        responseType: 'FULL',
        orders: [made.order],
      });
      if (answer?.submitted === false) {
        const words = `${answer.code}: ${answer.message}`;
        setRefused({ field: fieldOf(answer.message ?? ''), words });
        say('bad', 'Order refused', words);
      } else {
        isTaken = true;
        setRefused(undefined);
        setTried(false);
        say('good', 'Order taken', buttonText(form, market));
      }
    } catch (reason) {
      if (!endedBy(reason)) sayRefusal('Order not sent', reason);
    }
    setAsked(undefined);
    const unlock = (): void => {
      lock.current = false;
      setSending(false);
    };
    // A refused order is corrected and sent again at once; a second press after one that was taken is a slip.
    if (isTaken) setTimeout(unlock, UNLOCK_MS);
    else unlock();
  };
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    void send();
  };
  const faults: Faults = hasTried && 'faults' in made ? made.faults : {};
  const foreseen = preview.data?.refusal;
  const words = asked ?? (isSending ? 'Sending…' : buttonText(form, market));
  const kinds = KINDS.filter((kind) => kind !== 'STOP_MARKET' || isPerpetual(market));
  const panelId = useId();
  return (
    <section className="ticket panel" id="ticket" aria-label="Order ticket" tabIndex={-1}>
      <div className="grab" aria-hidden="true" />
      <Choice
        className="swap"
        label="Side"
        options={[
          { name: 'BUY', label: <SideWords side="Buy" also={isPerpetual(market) ? 'Long' : ''} /> },
          {
            name: 'SELL',
            label: <SideWords side="Sell" also={isPerpetual(market) ? 'Short' : ''} />,
          },
        ]}
        chosen={form.side}
        optionClass={(name) => (name === 'BUY' ? 'b' : 's')}
        onChoose={(side) => change({ side })}
      />
      <Tabs
        className="kinds"
        label="Order type"
        panelId={panelId}
        tabs={kinds.map((name) => ({ name, label: KIND_WORDS[name] }))}
        chosen={form.kind}
        onChoose={(kind) => change({ kind })}
      />
      <form className="form" id={panelId} onSubmit={onSubmit} noValidate aria-label="Order">
        <div className="power">
          <span className="t2">{power.label}</span>
          <b className="num">{power.text}</b>
        </div>
        <Fields {...{ form, market, change, faults, refused }} />
        <Share form={form} market={market} power={power.quote} change={change} />
        <Options form={form} market={market} change={change} />
        <button
          type="submit"
          className={`go ${form.side === 'BUY' ? 'buy-go' : 'sell-go'}`}
          disabled={isSending}
        >
          <span>{words}</span>
          <span className="kbd" aria-hidden="true">
            ⏎
          </span>
        </button>
        {foreseen === undefined ? null : (
          <p className="why" role="status">
            Would be refused: {foreseen.code}: {foreseen.message}
          </p>
        )}
      </form>
      <Receipt form={form} market={market} preview={preview.data} />
    </section>
  );
}

const SideWords = ({ side, also }: { readonly side: string; readonly also: string }) => (
  <>
    {side} {also === '' ? null : <em>{also}</em>}
  </>
);

/** The price starts in the middle of the market, once for each market. */
function useFirstPrice(market: Market): void {
  const filled = useRef('');
  const middle = useStore(book, ({ asks, bids }) => {
    const [ask, bid] = [asks[0]?.[0], bids[0]?.[0]];
    return ask === undefined || bid === undefined ? undefined : (ask + bid) / 2;
  });
  useEffect(() => {
    if (filled.current === market.marketCode) return;
    const price = toStep(middle?.toFixed(8) ?? market.markPrice, market.tickSize);
    ticket.update((form) => ({ ...form, price, stopPrice: '' }));
    filled.current = market.marketCode;
  }, [market, middle]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another market has other sizes
  useEffect(() => {
    ticket.update((form) => ({
      ...form,
      size: '',
      display: '',
      isReduceOnly: false,
      isAmount: false,
    }));
  }, [market.marketCode]);
}

/** Fills the ticket to close a position. */
export function closeInTicket(quantity: string, market: Market): void {
  const isShort = quantity.startsWith('-');
  const { tickers } = live.get();
  ticket.update((form) => ({
    ...form,
    side: isShort ? 'BUY' : 'SELL',
    kind: 'MARKET',
    size: quantity.replace('-', ''),
    isReduceOnly: true,
    stopPrice: tickers[market.marketCode]?.markPrice ?? form.stopPrice,
  }));
  document.getElementById('ticket')?.focus();
}
