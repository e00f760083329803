import fc from 'fast-check';
import type { OrderMatched } from '../domain/events.ts';
import type { WalletType } from '../domain/terms.ts';
import { type AccountIndex, type Amount, amount, type FamilyIndex } from '../domain/units.ts';
import type {
  ExchangeTradeRow,
  FundingPaymentRow,
  FundingRateRow,
  LiquidationRow,
  TradeRow,
  TransferRow,
  WalletEntryRow,
} from './history.ts';
import { anyHappenings, type Happened } from './outcomes.fixture.ts';
import { anyRisk, isLiquidation } from './risk.fixture.ts';
import {
  anyMatch,
  BTC,
  catalogue,
  GRID,
  marketDefined,
  NATIVE,
  SPOT,
  USDT,
} from './trades.fixture.ts';

const NEW_GRID = { priceScale: 0, tickParts: 3n };

/**
 * A venue's life: markets first, then transfers, matches, funding and liquidations mixed; spot lots and ticks
 * become larger half-way.
 */
export const anyLife = (lengthMax: number): fc.Arbitrary<Happened[]> =>
  fc
    .tuple(
      anyHappenings(lengthMax),
      fc.array(fc.tuple(fc.nat(10_000), anyMatch), { maxLength: lengthMax, size: 'max' }),
      fc.array(fc.tuple(fc.nat(10_000), anyRisk), { maxLength: lengthMax, size: 'max' }),
    )
    .map(([happenings, matches, risks]) => {
      const life: { timeMs: number; events: Happened['events'][number][] }[] = [
        { timeMs: 1_000, events: [...catalogue] },
        ...happenings.map(({ timeMs, events }) => ({ timeMs, events: [...events] })),
      ];
      const redefined = marketDefined(SPOT, { version: 2, lotParts: 7n, ...NEW_GRID });
      life[life.length >> 1]?.events.push(redefined);
      for (const [n, [place, match]] of matches.entries()) {
        life[place % life.length]?.events.push(match(n));
      }
      for (const [place, event] of risks) life[place % life.length]?.events.push(event);
      return life;
    });

/** The same history in plain arrays, oldest first, following the rules literally. */
export class Oracle {
  readonly wallet: (WalletEntryRow & { account: AccountIndex })[] = [];
  readonly transfers: (TransferRow & { family: FamilyIndex })[] = [];
  readonly trades: (TradeRow & { account: AccountIndex })[] = [];
  readonly matches: (ExchangeTradeRow & { value: Amount })[] = [];
  readonly payments: (FundingPaymentRow & { account: AccountIndex })[] = [];
  readonly rates: (FundingRateRow & { id: bigint })[] = [];
  readonly liquidations: (LiquidationRow & { account: AccountIndex })[] = [];
  #eventsSeen = 0;
  #partsPerSpotLot = 0n;
  #spotGrid = GRID;

  constructor(life: readonly Happened[]) {
    for (const { timeMs, events } of life) {
      for (const event of events) this.#note(event, BigInt(8 * ++this.#eventsSeen), timeMs);
    }
  }

  #note(event: Happened['events'][number], id: bigint, timeMs: number): void {
    if (event.kind === 'market-defined' && event.market === SPOT) {
      this.#partsPerSpotLot = event.spec.lotParts * 1_000n;
      const { priceScale, tickParts } = event.spec;
      this.#spotGrid = { priceScale, tickParts };
    }
    if (event.kind === 'genesis-credited') {
      const { account, asset, amount: parts } = event;
      this.wallet.push({ id, account, asset, type: 'DEPOSIT', amount: parts, timeMs });
    }
    if (event.kind === 'transferred') {
      const { family, asset, amount: parts, from, to } = event;
      const entry = { asset, type: 'INTERNAL', timeMs } as const;
      this.transfers.push({ id, family, asset, amount: parts, from, to, timeMs });
      this.wallet.push({ ...entry, id: id + 1n, account: from, amount: amount(-parts) });
      this.wallet.push({ ...entry, id: id + 2n, account: to, amount: parts });
    }
    if (event.kind === 'funds-moved') {
      const { asset, amount: parts, from, to } = event;
      const entry = { asset, type: 'INTERNAL', timeMs } as const;
      if (typeof from === 'number') {
        this.wallet.push({ ...entry, id: id + 1n, account: from, amount: amount(-parts) });
      }
      if (typeof to === 'number') {
        this.wallet.push({ ...entry, id: id + 2n, account: to, amount: parts });
      }
    }
    if (event.kind === 'order-matched') this.#noteMatch(event, id, timeMs);
    this.#noteRisk(event, id, timeMs);
  }

  #noteRisk(event: Happened['events'][number], id: bigint, timeMs: number): void {
    const put = (account: AccountIndex, type: WalletType, slot: bigint, parts: bigint): void => {
      if (parts === 0n) return;
      const entry = { account, asset: NATIVE, type, amount: amount(parts), timeMs };
      this.wallet.push({ ...entry, id: id + slot });
    };
    if (event.kind === 'funding-set') {
      this.rates.push({ id, market: event.market, rate: event.rate, timeMs });
    }
    if (event.kind === 'funding-paid') {
      const { account, market, payment, rate, lots, index } = event;
      this.payments.push({ id, account, market, payment, rate, lots, index, timeMs });
      put(account, 'FUNDING', 1n, payment);
    }
    if (isLiquidation(event)) {
      const grid = event.kind === 'liquidation-step' ? { grid: GRID } : {};
      this.liquidations.push({ id, account: event.account, event, ...grid, timeMs });
    }
    if (event.kind === 'liquidation-step') {
      put(event.account, 'LIQUIDATION', 1n, event.help);
      put(event.account, 'LIQUIDATION', 2n, -event.fee);
    }
    if (event.kind === 'collateral-sold' && event.phase !== 'book') {
      put(event.account, 'LIQUIDATION', 1n, event.repaid);
    }
    if (event.kind === 'collateral-sold' && event.asset !== undefined && event.given !== 0n) {
      const { account, asset, given } = event;
      const entry = {
        account,
        asset,
        type: 'LIQUIDATION',
        amount: amount(-given),
        timeMs,
      } as const;
      this.wallet.push({ ...entry, id: id + 3n });
    }
  }

  #noteMatch(event: OrderMatched, id: bigint, timeMs: number): void {
    const { market, match, priceTicks, lots, value, takerSide } = event;
    const grid = market === SPOT ? this.#spotGrid : GRID;
    this.matches.push({ id, market, match, priceTicks, grid, lots, value, takerSide, timeMs });
    for (const matchType of ['TAKER', 'MAKER'] as const) {
      const isTaker = matchType === 'TAKER';
      const tradeId = isTaker ? id : id + 4n;
      const own = isTaker ? event.taker : event.maker;
      const { account, orderId, clientOrderId, source, feeAsset, fee, realised, texts } = own;
      const isBuyer = (takerSide === 'BUY') === isTaker;
      this.trades.push({
        ...{ id: tradeId, account, market, match, orderId, clientOrderId, matchType },
        ...{ side: isBuyer ? 'BUY' : 'SELL', priceTicks, grid, lots, value },
        ...{ feeAsset, fee, source },
        ...(texts === undefined ? {} : { texts }),
        timeMs,
      });
      const put = (type: 'TRADE' | 'TRADE_FEE', slot: bigint, asset: typeof BTC, parts: bigint) => {
        if (parts === 0n) return;
        this.wallet.push({
          ...{ id: tradeId + slot, account, asset, type, amount: amount(parts), timeMs },
        });
      };
      if (market === SPOT) {
        const base = BigInt(lots) * this.#partsPerSpotLot;
        put('TRADE', 0n, BTC, isBuyer ? base : -base);
        put('TRADE', 1n, USDT, isBuyer ? -value : value);
      } else put('TRADE', 1n, NATIVE, realised);
      put('TRADE_FEE', 2n, feeAsset, -fee);
    }
  }
}
