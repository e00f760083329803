import './ticket.css';
import { type KeyboardEvent, type SubmitEvent, useEffect, useId } from 'react';
import { Locked } from '../../shared/locked.tsx';
import type { Session } from '../../shared/session.ts';
import { useStore } from '../../shared/store.ts';
import { Choice, Tabs } from '../../shared/tabs.tsx';
import { connection, live, type Market } from '../feed.ts';
import { OldSince } from '../old-since.tsx';
import { useBeginning } from './fill-in.ts';
import {
  buttonText,
  type Faults,
  type Form,
  isPerpetual,
  KINDS,
  type Kind,
  orderOf,
  stateWords,
} from './form.ts';
import { Fields, Options, Share } from './parts.tsx';
import { usePower } from './power.ts';
import { usePreview } from './preview.ts';
import { Receipt } from './receipt.tsx';
import { useSending } from './send.ts';
import { changeTicket, ratioAfter, ticket } from './ticket-state.ts';

/** More characters than fit into one line of the button. */
const LONG = 30;

const KIND_WORDS: Readonly<Record<Kind, string>> = {
  LIMIT: 'Limit',
  MARKET: 'Market',
  STOP_LIMIT: 'Stop limit',
  STOP_MARKET: 'Stop market',
};

export function Ticket({
  market,
  session,
  oldSince,
}: {
  readonly market: Market;
  readonly session: Session;
  readonly oldSince: number | undefined;
}) {
  const form = useStore(ticket, (all) => all);
  useBeginning(market);
  const made = orderOf(form, market);
  const isLost = useStore(connection, ({ isLive, lostAtMs }) => !isLive && lostAtMs !== undefined);
  const preview = usePreview(session, 'order' in made ? made.order : undefined, isLost);
  useEffect(() => {
    ratioAfter.set(preview.data?.refusal === undefined ? preview.data?.marginRatio : undefined);
    return () => ratioAfter.set(undefined);
  }, [preview.data]);
  const power = usePower(market, form);
  const sending = useSending({ market, session, form, made, preview, isLost });
  const { refused, hasTried, isSending, isWaiting, confirmation } = sending;
  const change = (part: Partial<Form>): void => {
    sending.forget();
    changeTicket(part);
  };
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    void sending.send();
  };
  const faults: Faults = hasTried && 'faults' in made ? made.faults : {};
  const { refusal } = preview;
  const status = useStore(live, ({ statuses }) => statuses[market.marketCode]);
  const state = status?.state ?? market.state;
  const button = buttonOf({ form, market, confirmation, isSending, isWaiting, isLost, refusal });
  const kinds = KINDS.filter((kind) => kind !== 'STOP_MARKET' || isPerpetual(market));
  const panelId = useId();
  const whyId = useId();
  const isAtButton = refused !== undefined && refused.field === undefined;
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
      <form
        className="form"
        id={panelId}
        onSubmit={onSubmit}
        onKeyDown={pressOnce}
        noValidate
        aria-label="Order"
      >
        <div className="power">
          <span className="t2">{power.label}</span>
          <OldSince ms={oldSince} />
          <span className="num">
            <b>{power.text}</b> <span className="t3">{power.unit}</span>
          </span>
        </div>
        <Locked isLocked={isWaiting}>
          <Fields {...{ form, market, change, faults, refused }} />
          <Share form={form} market={market} power={power.usable} change={change} />
          <Options {...{ form, market, change, refused }} />
        </Locked>
        {/* Else the button says it. */}
        {state === 'OPEN' || refusal !== undefined ? null : (
          <p className="why" role="status">
            {stateWords(state, status?.stateReason ?? market.stateReason)}
          </p>
        )}
        {isAtButton ? (
          <p className="why" id={whyId} role="alert">
            {refused.words}
          </p>
        ) : null}
        <button
          type="submit"
          aria-describedby={isAtButton ? whyId : undefined}
          className={`go ${button.look}${button.words.length > LONG ? ' long' : ''}`}
          // A disabled button would lose the focus while the order is sent: presses are ignored instead.
          aria-disabled={isSending || isLost}
        >
          <span>{button.words}</span>
          {button.isPlain ? (
            <span className="kbd" aria-hidden="true">
              ⏎
            </span>
          ) : null}
        </button>
        {refusal === undefined || isSending ? null : (
          <p className="anyway">
            <span>The venue decides.</span>
            <button type="button" onClick={() => void sending.send(true)}>
              Send anyway
            </button>
          </p>
        )}
      </form>
      <Receipt
        {...{ form, market, oldSince, preview: preview.data, before: preview.before }}
        isRefused={refusal !== undefined || state !== 'OPEN'}
      />
    </section>
  );
}

/** A key that is held down is one press. */
const pressOnce = (event: KeyboardEvent): void => {
  if (event.key === 'Enter' && event.repeat) event.preventDefault();
};

const SideWords = ({ side, also }: { readonly side: string; readonly also: string }) => (
  <>
    {side} {also === '' ? null : <em>{also}</em>}
  </>
);

type Button = { readonly words: string; readonly look: string; readonly isPlain: boolean };

/** The button shows the whole order, or why it would be refused, or the confirmation before it is sent. */
function buttonOf(of: {
  readonly form: Form;
  readonly market: Market;
  readonly confirmation: string | undefined;
  readonly isSending: boolean;
  readonly isWaiting: boolean;
  readonly isLost: boolean;
  readonly refusal: { readonly code: string; readonly message: string } | undefined;
}): Button {
  const { form, market, confirmation, isSending, isWaiting, isLost, refusal } = of;
  const look = form.side === 'BUY' ? 'buy-go' : 'sell-go';
  if (isWaiting) return { words: 'Sent, waiting for the answer', look, isPlain: false };
  if (isSending) return { words: 'Sending…', look, isPlain: false };
  if (isLost) return { words: 'Waiting for the connection', look, isPlain: false };
  // Before the question: what was asked may have become an order that would be refused.
  if (refusal !== undefined) {
    return { words: `${refusal.code}: ${refusal.message}`, look: 'reason', isPlain: false };
  }
  if (confirmation !== undefined) return { words: confirmation, look: 'ask', isPlain: false };
  return { words: buttonText(form, market), look, isPlain: true };
}
