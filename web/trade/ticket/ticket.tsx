import { type KeyboardEvent, type SubmitEvent, useEffect, useId, useRef, useState } from 'react';
import { say, sayRefusal } from '../../shared/messages.tsx';
import {
  fixed,
  nativeText,
  plain,
  stepped,
  toStep,
  typedNumber,
} from '../../shared/number-text.ts';
import { clientOf, endedBy, type Session } from '../../shared/session.ts';
import { settings } from '../../shared/settings.ts';
import { useStore } from '../../shared/store.ts';
import { Choice, Tabs } from '../../shared/tabs.tsx';
import { book, live, type Market } from '../feed.ts';
import { Field } from './field.tsx';
import {
  buttonText,
  type Faults,
  type Field as FieldName,
  type Form,
  fieldOf,
  hasPrice,
  hasStop,
  IN_FORCE,
  isPerpetual,
  KINDS,
  type Kind,
  nearestOf,
  orderOf,
  reasonToAsk,
  sizeOfShare,
  valueText,
} from './form.ts';
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

type Refused = { readonly field: FieldName | undefined; readonly words: string };

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
        setRefused(undefined);
        setTried(false);
        say('good', 'Order taken', buttonText(form, market));
      }
    } catch (reason) {
      if (!endedBy(reason)) sayRefusal('Order not sent', reason);
    }
    setAsked(undefined);
    setTimeout(() => {
      lock.current = false;
      setSending(false);
    }, UNLOCK_MS);
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
        <div className="pair">
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
    if (middle !== undefined) filled.current = market.marketCode;
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

type PartProps = {
  readonly form: Form;
  readonly market: Market;
  readonly change: (part: Partial<Form>) => void;
};

function Fields(
  props: PartProps & { readonly faults: Faults; readonly refused: Refused | undefined },
) {
  const { form, market, change, faults, refused } = props;
  const sides = useStore(book, (both) => both);
  const ask = sides.asks[0]?.[0];
  const bid = sides.bids[0]?.[0];
  const price = (value: number | undefined) => () => {
    if (value === undefined) return;
    change({ price: toStep(value.toFixed(8), market.tickSize) });
  };
  const wrong = (name: FieldName): string | undefined =>
    faults[name] ?? (refused?.field === name ? refused.words : undefined);
  const nearest = refused === undefined ? undefined : nearestOf(refused.words);
  const arrows = (name: 'price' | 'stopPrice') => (event: KeyboardEvent) => {
    const move = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    const typed = typedNumber(form[name]);
    if (move === undefined || typed === undefined) return;
    event.preventDefault();
    const count = move * (event.shiftKey ? 10 : event.altKey ? 100 : 1);
    change({ [name]: stepped(typed, market.tickSize, count) });
  };
  const value = valueText(form, market, market.markPrice);
  const isSpotBuy = !isPerpetual(market) && form.side === 'BUY';
  return (
    <>
      {hasStop(form) ? (
        <Field
          name="stopPrice"
          label="Stop price"
          value={form.stopPrice}
          unit={market.counter}
          wrong={wrong('stopPrice')}
          nearest={refused?.field === 'stopPrice' ? nearest : undefined}
          onKeyDown={arrows('stopPrice')}
          onType={(stopPrice) => change({ stopPrice })}
          beside={
            <select
              className="quick-select"
              aria-label="Trigger"
              value={form.triggerType}
              onChange={(event) =>
                change({ triggerType: event.target.value as Form['triggerType'] })
              }
            >
              <option value="MARK_PRICE">Mark</option>
              <option value="LAST_PRICE">Last</option>
            </select>
          }
        />
      ) : null}
      {hasPrice(form) ? (
        <Field
          name="price"
          label={hasStop(form) ? 'Limit price' : 'Price'}
          value={form.price}
          unit={market.counter}
          wrong={wrong('price')}
          nearest={refused?.field === 'price' ? nearest : undefined}
          onKeyDown={arrows('price')}
          onType={(typed) => change({ price: typed })}
          beside={
            <span className="quick">
              <button type="button" onClick={price(bid)}>
                Bid
              </button>
              <button
                type="button"
                onClick={price(
                  ask === undefined || bid === undefined ? undefined : (ask + bid) / 2,
                )}
              >
                Mid
              </button>
              <button type="button" onClick={price(ask)}>
                Ask
              </button>
            </span>
          }
        />
      ) : null}
      <Field
        name="size"
        label={isSpotBuy && form.isAmount ? 'Amount' : 'Size'}
        value={form.size}
        unit={isSpotBuy && form.isAmount ? market.counter : market.base}
        wrong={wrong('size')}
        nearest={refused?.field === 'size' ? nearest : undefined}
        onType={(size) => change({ size })}
        beside={
          isSpotBuy ? (
            <span className="quick">
              <button
                type="button"
                aria-pressed={form.isAmount}
                onClick={() => change({ isAmount: !form.isAmount, size: '' })}
              >
                By amount
              </button>
            </span>
          ) : (
            <span className="quick t3">
              {value === undefined
                ? ''
                : `≈ ${isPerpetual(market) ? `${nativeText(value)} OX` : `${plain(value, 2)} ${market.counter}`}`}
            </span>
          )
        }
      />
      {form.hasDisplay && hasPrice(form) ? (
        <Field
          name="display"
          label="Shown in the book"
          value={form.display}
          unit={market.base}
          wrong={wrong('display')}
          nearest={refused?.field === 'display' ? nearest : undefined}
          onType={(display) => change({ display })}
        />
      ) : null}
      {refused !== undefined && refused.field === undefined ? (
        <p className="why" role="alert">
          {refused.words}
        </p>
      ) : null}
    </>
  );
}

/** A share of what could be traded; the venue's own preview says what it means. */
function Share(props: PartProps & { readonly power: string }) {
  const { form, market, power, change } = props;
  const price = typedNumber(form.price) ?? market.markPrice;
  const [share, setShare] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another market starts at nothing
  useEffect(() => setShare(0), [market.marketCode]);
  const choose = (part: number): void => {
    setShare(part);
    const size = form.isAmount
      ? fixed(String((Number(power) * part) / 100), 2)
      : sizeOfShare(part, power, price, market.minSize);
    change({ size: Number(size) === 0 ? '' : size });
  };
  return (
    <div className="range">
      <input
        type="range"
        min="0"
        max="100"
        step="1"
        value={share}
        aria-label="Share of buying power"
        aria-valuetext={`${share} %`}
        style={{ '--v': `${share}%` } as React.CSSProperties}
        onChange={(event) => choose(Number(event.target.value))}
      />
      <div className="marks" aria-hidden="true">
        <span>0</span>
        <span>25</span>
        <span>50</span>
        <span>75</span>
        <span>100 %</span>
      </div>
    </div>
  );
}

function Options({ form, market, change }: PartProps) {
  return (
    <div className="opts">
      {hasPrice(form) ? (
        <label className="pick2">
          <span className="t2">In force</span>
          <select
            value={form.timeInForce}
            onChange={(event) => change({ timeInForce: event.target.value as Form['timeInForce'] })}
          >
            {IN_FORCE.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {isPerpetual(market) ? (
        <Check
          label="Reduce only"
          isOn={form.isReduceOnly}
          onChange={(isReduceOnly) => change({ isReduceOnly })}
        />
      ) : null}
      {hasPrice(form) ? (
        <Check
          label="Iceberg"
          isOn={form.hasDisplay}
          onChange={(hasDisplay) => change({ hasDisplay })}
        />
      ) : null}
      <details className="more">
        <summary className="t2">More</summary>
      </details>
      <div className="more-in">
        <label className="pick2 stp">
          <span className="t2">Own orders meet</span>
          <select
            value={form.selfTrade}
            onChange={(event) => change({ selfTrade: event.target.value as Form['selfTrade'] })}
          >
            <option value="NONE">may trade</option>
            <option value="EXPIRE_MAKER">cancel the resting one</option>
            <option value="EXPIRE_TAKER">cancel the new one</option>
            <option value="EXPIRE_BOTH">cancel both</option>
          </select>
        </label>
      </div>
    </div>
  );
}

const Check = (props: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}) => (
  <label className="ck">
    <input
      type="checkbox"
      checked={props.isOn}
      onChange={(event) => props.onChange(event.target.checked)}
    />{' '}
    {props.label}
  </label>
);

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
