import { useLayoutEffect } from 'react';
import { toStep } from '../../shared/number-text.ts';
import { createStore, useStore } from '../../shared/store.ts';
import { book, live, type Market, NO_BOOK } from '../feed.ts';
import { goToMarket, isShown } from '../market-address.ts';
import { changed, EMPTY_FORM, type Form } from './form.ts';
import { sentSizes } from './sizes.ts';
import { changeTicket, showTicket, ticket } from './ticket-state.ts';

/** The market that the ticket was initialised for; its contents survive signing in again. */
let begunFor = '';
/** The market that a price was filled in for. */
export const pricedFor = createStore('', true);
/** The mark, which is its price until the book has come. */
let guess = '';

/** Another market starts with its mid price and the size of the last order there. */
export function useBeginning(market: Market): void {
  const { marketCode } = market;
  const hasBook = useStore(book, (both) => both !== NO_BOOK);
  // Before the fields are visible: what is typed into them must not be overwritten.
  useLayoutEffect(() => {
    if (begunFor === marketCode) return;
    begunFor = marketCode;
    guess = '';
    const size = sentSizes.get()[marketCode]?.[0] ?? '';
    ticket.update(({ side, kind }) => ({ ...EMPTY_FORM, side, kind, size }));
  }, [marketCode]);
  useLayoutEffect(() => {
    if (pricedFor.get() === marketCode) return;
    if (guess === '') {
      guess = toStep(market.markPrice, market.tickSize);
      changeTicket({ price: guess });
    }
    if (!hasBook) return;
    const [ask, bid] = [book.get().asks[0]?.[0], book.get().bids[0]?.[0]];
    const isUntouched = ticket.get().price === guess;
    if (isUntouched && ask !== undefined && bid !== undefined) {
      changeTicket({ price: toStep(((ask + bid) / 2).toFixed(8), market.tickSize) });
    }
    pricedFor.set(marketCode);
    guess = '';
  }, [market, marketCode, hasBook]);
}

function fill(marketCode: string, part: Partial<Form>): void {
  // What was typed for another market is none of this one's. The ticket must not be initialised again when it
  // switches to the market, but it still has to find a price there.
  const before = begunFor === marketCode ? ticket.get() : EMPTY_FORM;
  if (begunFor !== marketCode) guess = '';
  begunFor = marketCode;
  ticket.set(changed({ ...before, isWorth: false, isAmount: false }, part));
  showTicket();
}

/**
 * What a refusal has offered for a field of the order that was sent. Its message may be pressed when one has gone
 * on to another market, where it would be a price of this one, or to a page without a ticket.
 */
export function correctInTicket(
  sent: Form,
  { marketCode }: Market,
  correction: Partial<Form>,
): void {
  const isHere = isShown(marketCode);
  goToMarket(marketCode);
  if (begunFor === marketCode) {
    ticket.update((before) => ({ ...before, ...correction }));
    if (!isHere) showTicket();
    return;
  }
  fill(marketCode, { ...sent, ...correction });
  // It has its prices.
  pricedFor.set(marketCode);
}

/** Fills the ticket to close a position. */
export function closeInTicket(quantity: string, { marketCode }: Market): void {
  fill(marketCode, {
    side: quantity.startsWith('-') ? 'BUY' : 'SELL',
    kind: 'MARKET',
    size: quantity.replace('-', ''),
    isReduceOnly: true,
  });
}

/** The distance of a new stop from the mark. */
const STOP_PERCENT = 1n;

/** Fills the ticket with a stop that closes a position, one percent from the mark. */
export function stopInTicket(quantity: string, market: Market): void {
  const isShort = quantity.startsWith('-');
  const mark = live.get().tickers[market.marketCode]?.markPrice ?? market.markPrice;
  const parts = isShort ? 100n + STOP_PERCENT : 100n - STOP_PERCENT;
  const stopPrice = toStep(String((Number(mark) * Number(parts)) / 100), market.tickSize);
  fill(market.marketCode, {
    side: isShort ? 'BUY' : 'SELL',
    kind: 'STOP_MARKET',
    size: quantity.replace('-', ''),
    ...{ stopPrice, triggerType: 'MARK_PRICE', isReduceOnly: true },
  });
}
