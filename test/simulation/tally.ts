/** What happened in a run, to show that it was not idle. */
export type Tally = {
  commands: number;
  matches: number;
  refusals: number;
  stopsFired: number;
  crashes: number;
  repeats: number;
  /** Crashes during a liquidation. */
  crashesAmidst: number;
  /** Orders that were cancelled because their account had reached 50. */
  riskyOrders: number;
  liquidations: number;
  /** Steps by who took the other side. */
  byNobody: number;
  byBook: number;
  byBackstop: number;
  byInsured: number;
  byDeleveraging: number;
  collateralSales: number;
  fundingPayments: number;
  deposits: number;
  withdrawals: number;
  /** Orders whose preview was compared before they were placed. */
  previewed: number;
  /** Orders that were refused because another one had their label. */
  labelsTaken: number;
  /** Dead-man switches that fired. */
  deadlinesPassed: number;
  /** Markets that got other tiers or another tick. */
  termsChanged: number;
};

export const newTally = (): Tally => ({
  commands: 0,
  matches: 0,
  refusals: 0,
  stopsFired: 0,
  crashes: 0,
  repeats: 0,
  crashesAmidst: 0,
  riskyOrders: 0,
  liquidations: 0,
  byNobody: 0,
  byBook: 0,
  byBackstop: 0,
  byInsured: 0,
  byDeleveraging: 0,
  collateralSales: 0,
  fundingPayments: 0,
  deposits: 0,
  withdrawals: 0,
  previewed: 0,
  labelsTaken: 0,
  deadlinesPassed: 0,
  termsChanged: 0,
});

/** Counts the event of one line. */
export function countLine(tally: Tally, line: string): void {
  for (const [name, pattern] of COUNTED) if (pattern.test(line)) tally[name]++;
}

const COUNTED: readonly (readonly [keyof Tally, RegExp])[] = [
  ['matches', /^order-matched/],
  ['deposits', /^deposit-changed .*status=COMPLETED/],
  ['withdrawals', /^withdrawal-changed .*status=COMPLETED/],
  ['refusals', /refused/],
  ['stopsFired', /^order-triggered/],
  ['riskyOrders', /^order-closed .*MARGIN_TOO_LOW/],
  ['liquidations', /^liquidation-started/],
  ['byNobody', /^liquidation-step .*phase=nobody/],
  ['byBook', /^liquidation-step .*phase=book/],
  ['byBackstop', /^liquidation-step .*phase=backstop/],
  ['byInsured', /^liquidation-step .*phase=insured/],
  ['byDeleveraging', /^liquidation-step .*phase=adl/],
  ['collateralSales', /^collateral-sold/],
  ['fundingPayments', /^funding-paid/],
  ['labelsTaken', /^order-refused .*ORDER_NAME_TAKEN/],
  ['deadlinesPassed', /^deadline-passed/],
  ['termsChanged', /^operator-acted .*act=change-market/],
];
