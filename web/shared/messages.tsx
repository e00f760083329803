import { useState } from 'react';
import { RialtoError } from '../../src/client/index.ts';
import { IconButton } from './icon-button.tsx';
import { Icon } from './icons.tsx';
import { clockText } from './number-text.ts';
import { isLostAnswer, isRefused } from './outcome.ts';
import { settings } from './settings.ts';
import { createStore, useStore } from './store.ts';
import { venueNowMs } from './venue-clock.ts';

/**
 * Messages beside the chart: fills and notices disappear by themselves; refusals, and orders that ended without
 * what was asked for, stay. The bell's list has all of them.
 */
export type Message = {
  readonly id: number;
  readonly kind: 'good' | 'warn' | 'bad' | 'info';
  readonly title: string;
  readonly text: string;
  readonly atMs: number;
  /** How often the same message came in a row. */
  readonly count: number;
  readonly act?: MessageAct;
};
export type MessageAct = { readonly label: string; readonly run: () => void };

const SHOWN_MAX = 3;
const SHOWN_MS = 5_000;
const KEPT_MAX = 100;
export const shownMessages = createStore<readonly Message[]>([]);
const keptMessages = createStore<readonly Message[]>([]);
const unread = createStore(0);
/** Nothing disappears while the pointer is on it or it has the focus. */
let isHeld = false;
let nextId = 1;

export function notify(kind: Message['kind'], title: string, text = '', act?: MessageAct): Message {
  const message = notifyQuietly(kind, title, text, act);
  shownMessages.update((shown) => {
    const others = shown.filter((one) => one.title !== title || one.text !== text);
    return [message, ...others].slice(0, SHOWN_MAX);
  });
  if (kind === 'good' || kind === 'info') setTimeout(() => leave(message.id), SHOWN_MS);
  return message;
}

/** What was said had not ended: the same message, wherever it still is, says all of it. */
export function retell(id: number, title: string, text: string): void {
  const told = (all: readonly Message[]): readonly Message[] =>
    all.map((one) => (one.id === id ? { ...one, title, text } : one));
  shownMessages.update(told);
  keptMessages.update(told);
}

/** Another message tells it, too. */
export function unsay(id: number): void {
  const without = (all: readonly Message[]): readonly Message[] =>
    all.filter((one) => one.id !== id);
  shownMessages.update(without);
  keptMessages.update(without);
}

/** Only for the bell's list: nobody is interrupted. */
export function notifyQuietly(
  kind: Message['kind'],
  title: string,
  text = '',
  act?: MessageAct,
): Message {
  const [last] = keptMessages.get();
  const isSame = last !== undefined && last.title === title && last.text === text;
  const count = isSame ? last.count + 1 : 1;
  const message: Message = {
    id: nextId++,
    ...{ kind, title, text, count },
    atMs: venueNowMs(),
    ...(act === undefined ? {} : { act }),
  };
  keptMessages.update((kept) => [message, ...(isSame ? kept.slice(1) : kept)].slice(0, KEPT_MAX));
  unread.update((before) => before + 1);
  return message;
}

function leave(id: number): void {
  if (isHeld) setTimeout(() => leave(id), SHOWN_MS);
  else dismiss(id);
}

const dismiss = (id: number): void =>
  shownMessages.update((shown) =>
    shown.some((one) => one.id === id) ? shown.filter((one) => one.id !== id) : shown,
  );

/** They were said to somebody who has left. */
export function forgetMessages(): void {
  shownMessages.set([]);
  keptMessages.set([]);
  unread.set(0);
}

/** The venue's message, with its code; what a browser says about a lost answer differs and helps nobody. */
export function reasonText(reason: unknown): string {
  if (reason instanceof RialtoError) return `${reason.code}: ${reason.message}`;
  if (isLostAnswer(reason)) return 'The venue did not answer';
  return reason instanceof Error ? reason.message : String(reason);
}

export const notifyRefusal = (title: string, reason: unknown): void => {
  const id = reason instanceof RialtoError ? reason.requestId : undefined;
  notify(
    'bad',
    title,
    id === undefined ? reasonText(reason) : `${reasonText(reason)} (request ${id})`,
  );
};

/** The titles of a request that failed, and what may be the case if nobody knows whether it was taken. */
type Failure = { readonly refused: string; readonly unknown: string; readonly doubt: string };

/** Only the venue's word makes it refused: nobody must send it again because of a title. */
export function notifyFailure(reason: unknown, { refused, unknown, doubt }: Failure): void {
  if (isRefused(reason)) notifyRefusal(refused, reason);
  else notify('bad', unknown, `${reasonText(reason)}. ${doubt}`);
}

const ICON_BY_KIND = { good: 'ok', warn: 'warn', bad: 'warn', info: 'info' } as const;

export function Messages() {
  const shown = useStore(shownMessages, (all) => all);
  const hold = (is: boolean) => () => {
    isHeld = is;
  };
  return (
    <section
      className="toasts"
      aria-label="Messages"
      onPointerEnter={hold(true)}
      onPointerLeave={hold(false)}
      onFocus={hold(true)}
      onBlur={hold(false)}
    >
      {shown.map((message) => (
        <Toast key={message.id} message={message} />
      ))}
    </section>
  );
}

function Toast({ message }: { readonly message: Message }) {
  const { id, kind, title, text, count, act } = message;
  return (
    <div className="toast" role={kind === 'bad' ? 'alert' : 'status'}>
      <span className={kind}>
        <Icon name={ICON_BY_KIND[kind]} />
      </span>
      <strong>
        {title}
        {count > 1 ? ` (${count})` : ''}
      </strong>
      <IconButton icon="x" label="Dismiss" onClick={() => dismiss(id)} />
      {text === '' ? null : <p>{text}</p>}
      {kind === 'bad' || act !== undefined ? (
        <div className="acts">
          {act === undefined ? null : (
            <button
              type="button"
              className="btn s primary"
              onClick={() => {
                dismiss(id);
                act.run();
              }}
            >
              {act.label}
            </button>
          )}
          {kind === 'bad' && text !== '' ? (
            <button
              type="button"
              className="btn s"
              onClick={() => void navigator.clipboard?.writeText(`${title}: ${text}`)}
            >
              Copy details
            </button>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

/** All messages since the page was opened. */
export function Bell() {
  const kept = useStore(keptMessages, (all) => all);
  const count = useStore(unread, (number) => number);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="btn icon ghost bell"
        popoverTarget="bell-list"
        aria-label={count === 0 ? 'Messages' : `Messages, ${count} new`}
      >
        <Icon name="bell" />
        {count === 0 ? null : <span className="new" aria-hidden="true" />}
      </button>
      <section
        id="bell-list"
        popover="auto"
        className="menu bell-list"
        aria-label="Messages so far"
        onToggle={(event) => {
          setOpen(event.newState === 'open');
          unread.set(0);
        }}
      >
        {isOpen ? <KeptList kept={kept} /> : null}
      </section>
    </>
  );
}

function KeptList({ kept }: { readonly kept: readonly Message[] }) {
  const zone = useStore(settings, (all) => all.zone);
  if (kept.length === 0) return <p className="gh">Nothing was said yet.</p>;
  return (
    <ul>
      {kept.map(({ id, kind, title, text, atMs, count }) => (
        <li key={id}>
          <span className={kind}>
            <Icon name={ICON_BY_KIND[kind]} />
          </span>
          <strong>
            {title}
            {count > 1 ? ` (${count})` : ''}
          </strong>
          <time className="t3 num" dateTime={new Date(atMs).toISOString()}>
            {clockText(atMs, zone)}
          </time>
          {text === '' ? null : <p>{text}</p>}
        </li>
      ))}
      {kept.length < KEPT_MAX ? null : (
        <li className="t3">Only the last {KEPT_MAX} messages are kept.</li>
      )}
    </ul>
  );
}
