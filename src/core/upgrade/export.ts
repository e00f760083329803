import { ByteWriter, type Plain, pack } from '../../bytes/pack.ts';
import { BUY, SELL } from '../../domain/order-codes.ts';
import { FLAG_HOLDS_PLAN } from '../../domain/order-layout.ts';
import { bestLevel, NO_LEVEL, nextLevel } from '../book/book.ts';
import { feeTierOf, volumesOf } from '../memory/family-columns.ts';
import {
  flagsOf,
  heldPartsOf,
  isWaiting,
  NO_ORDER,
  nextOf,
  type OrderSlot,
  orderIdOf,
} from '../memory/order-rows.ts';
import { namedBuckets } from '../memory/requests.ts';
import { type Market, type State, VENUE_HOLDERS } from '../state.ts';
import { openOrdersOf } from '../trading/find-order.ts';
import { recordOf } from '../views/order-views.ts';
import type {
  Facts,
  HolderFacts,
  MarketFacts,
  OrderFacts,
  PurseFacts,
  StandingFacts,
} from './facts.ts';

/**
 * Today's state as facts: what an import must bring back, for the test that it does, and the reader of
 * this layout once it is an old one. When the layout changes, the last of these is kept as it was.
 */
export function factsOf(state: State): Facts {
  const { requests } = state;
  return {
    sequence: state.sequence,
    timeMs: state.timeMs,
    digest: { ...state.digest },
    nextOrderId: state.nextOrderId,
    feeDay: state.feeDay,
    markedMinute: state.markedMinute,
    deadlines: [...state.deadlines.byName.values()],
    assets: state.assets.map((asset) => ({ ...asset, crossed: { ...asset.crossed } })),
    networks: state.networks,
    markets: state.markets.map(marketFacts),
    families: state.families.map(({ name, restrictions }, family) => ({
      name,
      restrictions,
      feeTier: feeTierOf(state.familyColumns, family),
      volumeByDay: volumesOf(state.familyColumns, family),
    })),
    holders: holderFacts(state),
    keys: state.keys.map((key) => ({ ...key })),
    purses: purseFacts(state),
    standings: standingFacts(state),
    orders: orderFacts(state),
    queues: state.markets.map((market) => queueOf(state, market)),
    requests: {
      forgottenThrough: requests.forgottenThrough,
      sweptAt: requests.sweptAt,
      buckets: namedBuckets(requests),
    },
    liquidating: [...state.liquidating],
    backstops: state.backstops.map((backstop) => ({ ...backstop })),
    orderLimits: { ...state.orderLimits },
    wallet: pack(state.wallet as unknown as Plain),
  };
}

function marketFacts(market: Market): MarketFacts {
  const { spec, version, listedAtMs, state, stateReason, premium } = market;
  const { lastTicks, lastLots, lastMatchAtMs, matches } = market;
  const { samples, next, count, hour, hourSum, hourSeconds, second } = premium;
  const inOrder = Array.from(
    { length: count },
    (_, at) => samples[(next - count + at + samples.length) % samples.length] as bigint,
  );
  return {
    spec,
    version,
    listedAtMs,
    state,
    stateReason,
    lastTicks,
    lastLots,
    lastMatchAtMs,
    matches,
    pricedAtMs: market.price.updatedAtMs,
    premium: { samples: inOrder, hour, hourSum, hourSeconds, second },
  };
}

function holderFacts(state: State): HolderFacts[] {
  const marketByClearing = new Map(state.markets.map(({ clearing }, index) => [clearing, index]));
  return state.accounts.slice(VENUE_HOLDERS.length).map((account, at): HolderFacts => {
    if (account === null) {
      return { kind: 'clearing', market: marketByClearing.get(VENUE_HOLDERS.length + at) ?? -1 };
    }
    const { family, name, accountType, createdAtMs, isActive } = account;
    const { liquidating, stepAtMs, unsoldSteps } = account;
    const who = { kind: 'account', family, name, accountType, createdAtMs, isActive } as const;
    return { ...who, liquidating, stepAtMs, unsoldSteps };
  });
}

function purseFacts({ ledger, assets }: State): PurseFacts[] {
  const purses: PurseFacts[] = [];
  for (let holder = 0; holder < ledger.rows; holder++) {
    for (let asset = 0; asset < assets.length; asset++) {
      const purse = holder * ledger.stride + asset;
      const touchedAtMs = ledger.touchedAtMs[purse] as number;
      const available = ledger.available[purse] as bigint;
      const reserved = ledger.reserved[purse] as bigint;
      if (touchedAtMs === 0 && available === 0n && reserved === 0n) continue;
      purses.push({ holder, asset, available, reserved, touchedAtMs });
    }
  }
  return purses;
}

function standingFacts({ standings }: State): StandingFacts[] {
  return Array.from({ length: standings.used }, (_, at) => ({
    account: standings.account[at] as number,
    market: standings.market[at] as number,
    lots: standings.lots[at] as number,
    cost: standings.cost[at] as bigint,
    updatedAtMs: standings.updatedAtMs[at] as number,
    startLots: standings.startLots[at] as number,
    unclosedSteps: standings.unclosedSteps[at] as number,
  }));
}

function orderFacts(state: State): OrderFacts[] {
  const { orders } = state;
  const writer = new ByteWriter();
  return state.accounts.flatMap((account) =>
    account === null
      ? []
      : openOrdersOf(state, account).map((slot) => ({
          order: recordOf(orders, slot, writer),
          heldParts: heldPartsOf(orders, slot),
          holdsPlan: (flagsOf(orders, slot) & FLAG_HOLDS_PLAN) !== 0,
          isWaiting: isWaiting(orders, slot),
        })),
  );
}

function queueOf({ orders }: State, { book }: Market): number[] {
  const ids: number[] = [];
  for (const side of [BUY, SELL] as const) {
    let level = bestLevel(book, side);
    for (; level !== NO_LEVEL; level = nextLevel(book, side, level)) {
      let slot = book.levels.firstOrder[level] as OrderSlot;
      for (; slot !== NO_ORDER; slot = nextOf(orders, slot)) {
        ids.push(orderIdOf(orders, slot));
      }
    }
  }
  return ids;
}
