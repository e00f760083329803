/**
 * Values of assets in dollars, from the index prices in tickers. For display only: the venue uses its own.
 */

type Priced = { readonly indexPrice: string };
type Traded = {
  readonly marketCode: string;
  readonly base: string;
  readonly counter: string;
  readonly type: string;
};

export function usdPrices(
  markets: readonly Traded[],
  tickers: Readonly<Record<string, Priced>>,
): Readonly<Record<string, number>> {
  const prices: Record<string, number> = { USD: 1 };
  const indexOf = ({ marketCode }: Traded): number => Number(tickers[marketCode]?.indexPrice ?? 0);
  for (const market of markets) {
    const index = indexOf(market);
    if (market.type === 'FUTURE' && index > 0) prices[market.base] = index;
  }
  // A spot market's index is base in quote: one known price gives the other.
  for (let round = 0; round < 2; round++) {
    for (const market of markets) {
      const index = indexOf(market);
      if (market.type === 'FUTURE' || index <= 0) continue;
      const { base, counter } = market;
      const [known, quoted] = [prices[base], prices[counter]];
      if (known !== undefined && quoted === undefined) prices[counter] = known / index;
      if (known === undefined && quoted !== undefined) prices[base] = quoted * index;
    }
  }
  return prices;
}
