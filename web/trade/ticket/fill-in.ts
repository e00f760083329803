import { useLayoutEffect } from 'react';
import { toStep } from '../../shared/number-text.ts';
import { useStore } from '../../shared/store.ts';
import { book, live, type Market } from '../feed.ts';
import { EMPTY_FORM, type Form } from './form.ts';
import { sentSizes } from './sizes.ts';
import { showTicket, ticket } from './ticket-state.ts';

/** The market that the ticket was initialised for; its contents survive signing in again. */
let begunFor = '';
/** The market that a price was filled in for. */
let pricedFor = '';

/** Another market starts with its mid price and the size of the last order there. */
export function useBeginning(market: Market): void {
  const { marketCode } = market;
  const middle = useStore(book, ({ asks, bids }) => {
    const [ask, bid] = [asks[0]?.[0], bids[0]?.[0]];
    return ask === undefined || bid === undefined ? undefined : (ask + bid) / 2;
  });
  // Before the fields are visible: what is typed into them must not be overwritten.
  useLayoutEffect(() => {
    if (begunFor === marketCode) return;
    begunFor = marketCode;
    const size = sentSizes.get()[marketCode]?.[0] ?? '';
    ticket.update(({ side, kind }) => ({ ...EMPTY_FORM, side, kind, size }));
  }, [marketCode]);
  useLayoutEffect(() => {
    if (pricedFor === marketCode) return;
    pricedFor = marketCode;
    const price = toStep(middle?.toFixed(8) ?? market.markPrice, market.tickSize);
    ticket.update((form) => ({ ...form, price, stopPrice: '' }));
  }, [market, marketCode, middle]);
}

function fill(marketCode: string, part: Partial<Form>): void {
  // The ticket must not be initialised again when it switches to the market.
  begunFor = marketCode;
  pricedFor = marketCode;
  ticket.update((form) => ({ ...form, isWorth: false, ...part }));
  showTicket();
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
