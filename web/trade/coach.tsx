import './coach.css';
import { useEffect, useRef, useState } from 'react';
import { keptStore, useStore } from '../shared/store.ts';
import { live, type Market } from './feed.ts';
import { useDemoAccounts } from './sign-in.tsx';
import { pricedFor } from './ticket/fill-in.ts';
import { ticket } from './ticket/ticket-state.ts';

/**
 * Hints at the real controls for the first order in this browser; skipped or completed, they do not come
 * again.
 */
const coach = keptStore('rialto-coach', { step: 0 });
const DONE = 4;
const WIDTH_PX = 220;
const GAP_PX = 14;
/** On narrower windows there is no room beside the controls. */
const WINDOW_MIN_PX = 1_024;

const MARKS = [
  { of: '.book .side.bids', title: 'Pick a level', text: 'Click a price: it fills the ticket.' },
  {
    of: '.ticket .range',
    title: 'Choose a size',
    text: 'Move the slider to 10 %, or type a size.',
  },
  { of: '.ticket .go', title: 'Send it', text: 'The button says the whole order.' },
  { of: '.ln .tag', title: 'There it is', text: 'Drag it to another price, or cancel it with ×.' },
] as const;

const next = (from: number): void =>
  coach.update(({ step }) => ({ step: step === from ? from + 1 : step }));

export function Coach({ market }: { readonly market: Market }) {
  const step = useStore(coach, (kept) => kept.step);
  const hasDemo = useDemoAccounts().length > 0;
  const orders = useStore(live, (state) => state.orders);
  // Orders that existed before are not the first order of this browser.
  const known = useRef<typeof orders>(undefined);
  const form = useStore(ticket, (all) => all);
  const isPicked = usePicked(market, form.price);
  useEffect(() => {
    if (step === 0 && isPicked) next(0);
    else if (step === 1 && form.size !== '') next(1);
    else if (step < 2) known.current = orders;
    else if (step === 2) {
      known.current ??= orders;
      if ([...orders.keys()].some((id) => known.current?.has(id) === false)) next(2);
    }
  }, [step, form, orders, isPicked]);
  const mark = MARKS[step];
  const place = usePlace(hasDemo ? mark?.of : undefined);
  if (mark === undefined || place === undefined || !hasDemo) return null;
  return (
    <aside className="coach" aria-label={`First order on ${market.name}`} style={place}>
      <b>
        {mark.title}
        {step < DONE - 1 ? ` (${step + 1} of ${DONE - 1})` : ''}
      </b>
      {mark.text}
      <div className="acts">
        <button type="button" className="btn s" onClick={() => next(step)}>
          {step === DONE - 1 ? 'Done' : 'Next'}
        </button>
        {step === DONE - 1 ? null : (
          <button type="button" className="btn s ghost" onClick={() => coach.set({ step: DONE })}>
            Skip all
          </button>
        )}
      </div>
    </aside>
  );
}

/** Whether the price is the user's: the ticket starts with one of its own, which follows the book when that comes. */
function usePicked({ marketCode }: Market, price: string): boolean {
  const [begun, setBegun] = useState({ marketCode: '', price: '' });
  const isBegun = begun.marketCode === marketCode;
  const isPriced = useStore(pricedFor, (code) => code === marketCode);
  useEffect(() => {
    // Not the rendered one: the ticket may have filled it in since.
    if (isPriced && !isBegun) setBegun({ marketCode, price: ticket.get().price });
  }, [isPriced, isBegun, marketCode]);
  return isBegun && price !== begun.price;
}

/** To the left of the control; located again now and then, because lines and panels move. */
function usePlace(
  of: string | undefined,
): { readonly left: number; readonly top: number } | undefined {
  const [place, setPlace] = useState<{ readonly left: number; readonly top: number }>();
  useEffect(() => {
    const look = (): void => {
      const box =
        of === undefined ? undefined : document.querySelector(of)?.getBoundingClientRect();
      const left = (box?.left ?? 0) - WIDTH_PX - GAP_PX;
      const isThere =
        box !== undefined && box.height > 0 && innerWidth >= WINDOW_MIN_PX && left > 0;
      const top = Math.round((box?.top ?? 0) + Math.min(30, (box?.height ?? 0) / 2) - 20);
      setPlace((before) => {
        if (!isThere) return undefined;
        return before?.left === left && before.top === top ? before : { left, top };
      });
    };
    look();
    const timer = setInterval(look, 300);
    return () => clearInterval(timer);
  }, [of]);
  return place;
}
