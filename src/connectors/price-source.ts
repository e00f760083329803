/**
 * A source of asset prices. It is queried once per round and returns the prices it knows, in decimal text; it
 * may be late, wrong or silent, which is why there are several and a median.
 */
export type PriceSource = {
  readonly name: string;
  /** Prices set by an operator: they may differ from the last price by any factor. */
  readonly isOperator?: true;
  /** Rejects if it has none. */
  prices(): Promise<SourcePrices>;
  /**
   * For a source that repeats the venue's own prices: read while a round is made. Its answer of a second ago
   * would revert a price that an operator has set since, and the next round would set it again.
   */
  readonly now?: () => SourcePrices;
};

export type SourcePrices = {
  /** In USD by asset code. */
  readonly prices: ReadonlyMap<string, string>;
  /** The source's own time, if it has one, as it writes it: only whether it changes matters. */
  readonly ownTime?: string;
};
