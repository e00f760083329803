/**
 * Where prices of assets come from. A source is asked once a round and answers what it knows, in
 * decimal text; it may be late, wrong or silent, which is why there are several and a median.
 */
export type PriceSource = {
  readonly name: string;
  /** Prices in USD by asset code. Rejects when it has none. */
  prices(): Promise<ReadonlyMap<string, string>>;
};
