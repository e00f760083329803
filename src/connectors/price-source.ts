/**
 * Where prices of assets come from. A source is asked once a round and returns the prices it knows, in
 * decimal text; it may be late, wrong or silent, which is why there are several and a median.
 */
export type PriceSource = {
  readonly name: string;
  /** Prices set by an operator: they may differ from the last price by any factor. */
  readonly isOperator?: true;
  /** Rejects when it has none. */
  prices(): Promise<SourcePrices>;
  /**
   * Of a source that repeats the venue's own prices: what it says as a round is made. What it said a
   * second before would take back a price that an operator has set since, and the round after set it again.
   */
  readonly now?: () => SourcePrices;
};

export type SourcePrices = {
  /** In USD by asset code. */
  readonly prices: ReadonlyMap<string, string>;
  /** The source's own time, where it keeps one, as it writes it: only whether it moves is asked. */
  readonly ownTime?: string;
};
