import type { AccountIndex } from '../domain/units.ts';
import type { DepositRecord, WithdrawalRecord } from '../domain/wallet.ts';
import type {
  AccountHourRow,
  CandleRow,
  ClosedOrderRow,
  DayMarks,
  DayStats,
  ExchangeTradeRow,
  FundingPaymentRow,
  FundingRateRow,
  History,
  LiquidationRow,
  TradeQuery,
  TradeRow,
  TransferRow,
  WalletEntryRow,
} from '../history/history.ts';
import type { NamedRecordQuery } from '../history/wallet-records.ts';

/** A fake history: records its queries; what it returns can be replaced. */
export type FakeHistory = History & {
  sequence: number;
  trouble: string | undefined;
  queries: unknown[];
  walletRows: WalletEntryRow[];
  transferRows: TransferRow[];
  tradeRows: TradeRow[];
  exchangeTradeRows: ExchangeTradeRow[];
  closedOrder: ClosedOrderRow | undefined;
  day: DayStats | undefined;
  dayOfMarks: DayMarks | undefined;
  candleRows: CandleRow[];
  hourRows: AccountHourRow[];
  paymentRows: FundingPaymentRow[];
  rateRows: FundingRateRow[];
  liquidationRows: LiquidationRow[];
  withdrawalRows: WithdrawalRecord[];
  depositRows: DepositRecord[];
};

export function fakeHistory(): FakeHistory {
  const history = {
    sequence: 4,
    trouble: undefined as string | undefined,
    queries: [] as unknown[],
    walletRows: [] as WalletEntryRow[],
    transferRows: [] as TransferRow[],
    tradeRows: [] as TradeRow[],
    exchangeTradeRows: [] as ExchangeTradeRow[],
    closedOrder: undefined as ClosedOrderRow | undefined,
    day: undefined as DayStats | undefined,
    dayOfMarks: undefined as DayMarks | undefined,
    candleRows: [] as CandleRow[],
    hourRows: [] as AccountHourRow[],
    paymentRows: [] as FundingPaymentRow[],
    rateRows: [] as FundingRateRow[],
    liquidationRows: [] as LiquidationRow[],
    withdrawalRows: [] as WithdrawalRecord[],
    depositRows: [] as DepositRecord[],
    reached: async (upTo: number) => history.sequence >= upTo,
    walletEntries: async (ask: unknown) => {
      history.queries.push(ask);
      return history.walletRows;
    },
    transfers: async (ask: unknown) => {
      history.queries.push(ask);
      return history.transferRows;
    },
    order: async () => history.closedOrder,
    orders: async (ask: unknown) => {
      history.queries.push(ask);
      return history.closedOrder === undefined ? [] : [{ id: 77n, ...history.closedOrder }];
    },
    accountHours: async (ask: unknown) => {
      history.queries.push(ask);
      return history.hourRows;
    },
    trades: async (ask: TradeQuery) => {
      history.queries.push(ask);
      const isIn = ({ timeMs: atMs, id, market }: TradeRow): boolean =>
        atMs >= ask.fromMs &&
        atMs <= ask.toMs &&
        id < (ask.beforeId ?? 2n ** 62n) &&
        market === (ask.market ?? market);
      return history.tradeRows.filter(isIn).slice(0, ask.limit);
    },
    exchangeTrades: async (ask: unknown) => {
      history.queries.push(ask);
      return history.exchangeTradeRows;
    },
    dayStats: async () => history.day,
    dayMarks: async () => history.dayOfMarks,
    candles: async (ask: unknown) => {
      history.queries.push(ask);
      return history.candleRows;
    },
    fundingPayments: async (ask: unknown) => {
      history.queries.push(ask);
      return history.paymentRows;
    },
    fundingRates: async (ask: unknown) => {
      history.queries.push(ask);
      return history.rateRows;
    },
    acts: async () => [],
    liquidations: async (ask: unknown) => {
      history.queries.push(ask);
      return history.liquidationRows;
    },
    withdrawals: async (ask: unknown) => {
      history.queries.push(ask);
      return history.withdrawalRows;
    },
    withdrawal: async (account: AccountIndex, id: number) =>
      history.withdrawalRows.find((row) => row.account === account && row.id === id),
    deposits: async (ask: unknown) => {
      history.queries.push(ask);
      return history.depositRows;
    },
    withdrawalsNamed: async ({ name, number }: NamedRecordQuery) =>
      history.withdrawalRows.filter((row) => row.id === number || row.address === name),
    newestWithdrawals: async (limit: number) => history.withdrawalRows.slice(0, limit),
    depositsNamed: async ({ name, number }: NamedRecordQuery) =>
      history.depositRows.filter((row) => row.id === number || row.txId === name),
  };
  return history;
}
