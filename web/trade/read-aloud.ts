import { toStep } from '../shared/number-text.ts';
import { createStore } from '../shared/store.ts';
import { book, chosen, live, marketOf, markets } from './feed.ts';

/** For screen readers: last price, spread and position, on request. */
export const spoken = createStore('');

export function speakMarket(): void {
  const market = marketOf(markets.get(), chosen.get().marketCode);
  if (market === undefined) return;
  const { tickers, positions } = live.get();
  const { asks, bids } = book.get();
  const ask = asks[0]?.[0];
  const bid = bids[0]?.[0];
  const parts = [
    market.name,
    `last ${tickers[market.marketCode]?.last ?? market.markPrice}`,
    bid === undefined ? 'no bid' : `bid ${bid}`,
    ask === undefined ? 'no ask' : `ask ${ask}`,
    ...(ask === undefined || bid === undefined
      ? []
      : [`spread ${toStep((ask - bid).toFixed(8), market.tickSize)}`]),
    `position ${positions[market.marketCode]?.quantity ?? 'none'}`,
  ];
  spoken.set(parts.join(', '));
}
