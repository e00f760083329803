/** What an account needs and what it has, in native parts. */
export type Margin = {
  collateral: bigint;
  /** Of the collateral, the holdings other than native. */
  otherCollateral: bigint;
  unrealised: bigint;
  /** Of the unrealised, the profit of the positions in profit. */
  profit: bigint;
  notional: bigint;
  initial: bigint;
  maintenance: bigint;
};

/** A position other than the one held: what the account would be if planned fills had happened. */
export type Hypothesis = {
  readonly market: number;
  /** The account's standing in that market; NO_STANDING while it has none. */
  readonly standing: number;
  /** Added to the position and to its cost. */
  readonly lots: number;
  readonly cost: bigint;
  /** What of it would be paid in native at once: collateral stays what it is, but debt does not. */
  readonly realised: bigint;
  /** Added to the open orders of a side, with their loss against the mark. */
  readonly buyLots: number;
  readonly sellLots: number;
  readonly orderLoss: bigint;
};
