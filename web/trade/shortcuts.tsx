import './palette.css';
import { useEffect } from 'react';
import { COMMAND } from '../shared/command-key.ts';
import { Dialog } from '../shared/dialog.tsx';
import { settings } from '../shared/settings.ts';
import { turnToNumber } from './accounts.ts';
import { BLOTTER_TABS, blotterTab } from './blotter.tsx';
import { chooseTimeframe, chosen, live, TIMEFRAMES } from './feed.ts';
import { foldBook } from './layout.ts';
import type { OpenOrder } from './live-orders.ts';
import { confirmCancel } from './many-orders.tsx';
import { cancelOrder, focusNeighbour } from './order-acts.ts';
import { changeTicket } from './ticket/ticket-state.ts';

const KEYS: readonly (readonly [string, string])[] = [
  [`${COMMAND}K or /`, 'search markets and actions'],
  ['B, S', 'buy, sell; then the size'],
  ['P, Q', 'price, size'],
  ['L, M, T', 'limit, market, stop'],
  ['↑ ↓ in a price', 'one tick; Shift 10, Alt 100'],
  ['Enter in the ticket', 'send'],
  ['↑ ↓ in the book', 'level; Enter puts it into the ticket'],
  ['X on an order', 'cancel it; Shift X: all of its market'],
  ['Shift X elsewhere', 'cancel all of the market in view'],
  ['1 to 7', 'positions, orders, ...'],
  ['[ ]', 'time frame'],
  ['\\', 'order book on, off'],
  [`${COMMAND}1 to ${COMMAND}9`, 'accounts of the family'],
  ['F6', 'next panel'],
  ['?', 'this list'],
  ['Esc', 'leave, close, undo'],
];

const focusField = (name: string): void => {
  const field = document.getElementById(`ticket-${name}`);
  field?.focus();
  if (field instanceof HTMLInputElement) field.select();
};

const ACTS: Readonly<Record<string, () => void>> = {
  b: () => {
    changeTicket({ side: 'BUY' });
    focusField('size');
  },
  s: () => {
    changeTicket({ side: 'SELL' });
    focusField('size');
  },
  p: () => focusField('price'),
  q: () => focusField('size'),
  l: () => changeTicket({ kind: 'LIMIT' }),
  m: () => changeTicket({ kind: 'MARKET' }),
  t: () => changeTicket({ kind: 'STOP_LIMIT' }),
  '[': () => stepTimeframe(-1),
  ']': () => stepTimeframe(1),
  '\\': foldBook,
};

function stepTimeframe(by: number): void {
  const at = TIMEFRAMES.findIndex(({ name }) => name === chosen.get().timeframe);
  const next = TIMEFRAMES[Math.min(TIMEFRAMES.length - 1, Math.max(0, at + by))];
  if (next !== undefined) chooseTimeframe(next.name);
}

function nextPanel(): void {
  const panels = [...document.querySelectorAll<HTMLElement>('main .panel')].filter(
    (panel) => panel.offsetParent !== null,
  );
  const at = panels.findIndex((panel) => panel.contains(document.activeElement));
  // The next panel; if nothing in it can have the focus, the one after that.
  const next = [...panels.slice(at + 1), ...panels.slice(0, at + 1)].map(firstIn);
  next.find((control) => control !== undefined)?.focus();
}

const CONTROLS = 'button:not([tabindex="-1"]), input, select, a[href], [tabindex="0"]';

/** Some controls exist for narrow windows only. */
const firstIn = (panel: HTMLElement): HTMLElement | undefined =>
  [...panel.querySelectorAll<HTMLElement>(CONTROLS)].find((control) => control.checkVisibility());

const focusedRow = (): HTMLElement | null | undefined =>
  document.activeElement?.closest<HTMLElement>('[data-key]');

/** The order whose row or handle has the focus. */
const focusedOrder = (): OpenOrder | undefined =>
  live.get().orders.get(focusedRow()?.dataset['key'] ?? '');

/** X cancels it; the focus moves to the next one. */
function cancelFocused(): void {
  const order = focusedOrder();
  if (order === undefined) return;
  focusNeighbour(focusedRow() ?? null);
  void cancelOrder(order);
}

/** Whoever is on an order means its market, whichever is in view. */
const cancelMarket = (): void =>
  confirmCancel(focusedOrder()?.marketCode ?? chosen.get().marketCode);

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.matches('input:not([type=checkbox]):not([type=range]), select, textarea') ||
    target.closest('dialog') !== null);

/** Single keys work outside of fields only, and can be switched off. */
export function useShortcuts(onFind: () => void, onHelp: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: globalThis.KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        onFind();
        return;
      }
      if ((event.metaKey || event.ctrlKey) && /^[1-9]$/.test(event.key)) {
        if (turnToNumber(Number(event.key))) event.preventDefault();
        return;
      }
      if (event.key === 'F6') {
        event.preventDefault();
        nextPanel();
        return;
      }
      if (event.key === 'Escape' && isTyping(event.target)) {
        (event.target as HTMLElement).blur();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
      if (!settings.get().hasShortcuts) return;
      const act =
        event.shiftKey && event.key.toLowerCase() === 'x'
          ? cancelMarket
          : actOf(event.key, onFind, onHelp);
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [onFind, onHelp]);
}

function actOf(key: string, onFind: () => void, onHelp: () => void): (() => void) | undefined {
  if (key === '/') return onFind;
  if (key === '?') return onHelp;
  if (key.toLowerCase() === 'x') return cancelFocused;
  const tab = BLOTTER_TABS[Number(key) - 1];
  if (tab !== undefined) return () => blotterTab.set(tab);
  return ACTS[key.toLowerCase()];
}

export const KeyList = () => (
  <dl className="kv keys">
    {KEYS.map(([key, does]) => (
      <div key={key}>
        <dt>{does}</dt>
        <dd>
          <span className="kbd">{key}</span>
        </dd>
      </div>
    ))}
  </dl>
);

export const ShortcutsDialog = ({ onClose }: { readonly onClose: () => void }) => (
  <Dialog title="Shortcuts" className="narrow" onClose={onClose}>
    <KeyList />
  </Dialog>
);
