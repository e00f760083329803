import { unpack } from '../../bytes/pack.ts';
import type { AssetSpec, MarketSpec, NetworkSpec } from '../../domain/market.ts';
import type { AccountType, MarketState, Permission, Restriction } from '../../domain/terms.ts';
import type { Facts, HolderFacts, MarketFacts, PurseFacts, StandingFacts } from './facts.ts';
import { ordersOfV1, queueOfV1, type V1Book, type V1Orders } from './v1-orders.ts';

/**
 * The reader of snapshots of the first version (rules 1). It contains that layout and uses nothing of
 * today's code but the type of the facts it returns, so that it reads the same for ever: change only the
 * values of facts that the first version did not have.
 */
export function factsOfV1(bytes: Uint8Array): Facts {
  const v1 = unpack(bytes) as unknown as V1State;
  const { requests } = v1;
  return {
    sequence: v1.sequence,
    timeMs: v1.timeMs,
    digest: v1.digest,
    nextOrderId: v1.nextOrderId,
    feeDay: v1.feeDay,
    markedMinute: 0,
    deadlines: [],
    // Prices of any size were accepted then: the next one may be any factor away.
    assets: v1.assets.map((asset) => ({ ...asset, isQuoted: false })),
    networks: v1.networks,
    markets: v1.markets.map(marketFacts),
    families: v1.families.map(({ name, restrictions, feeTier, volumeByDay }) => ({
      name,
      restrictions,
      feeTier,
      volumeByDay: [...volumeByDay].map((parts) => wholeNative(v1, parts)),
    })),
    holders: holderFacts(v1),
    keys: v1.keys.map((key) => ({
      label: '',
      createdAtMs: 0,
      mayWithdrawFromMs: 0,
      isSession: false,
      revokedAtMs: 0,
      ...key,
      expiresAtMs: key.expiresAtMs,
      addresses: key.addresses,
    })),
    purses: purseFacts(v1),
    standings: standingFacts(v1),
    orders: v1.accounts.flatMap((account) =>
      account === null ? [] : ordersOfV1(v1.orders, account.firstOrder),
    ),
    queues: v1.markets.map(({ book }, market) => queueOfV1(v1.orders, book, market)),
    requests: {
      forgottenThrough: requests.forgottenThrough,
      sweptAt: requests.sweptAt,
      buckets: [...requests.bySecond].map(([second, bucket]) => ({ second, ...bucket })),
    },
    liquidating: v1.liquidating,
    backstops: v1.backstops,
    // They were no setting then.
    orderLimits: { perMarket: 2_000, inAll: 10_000 },
  };
}

/** What there was of the state of the first version, as far as it is read. */
type V1State = {
  readonly sequence: number;
  readonly timeMs: number;
  readonly digest: { readonly lo: number; readonly hi: number };
  readonly nextOrderId: number;
  readonly feeDay: number;
  readonly assets: readonly {
    readonly spec: AssetSpec;
    readonly indexPrice: bigint;
    readonly indexAtMs: number;
    readonly jumpPrice: bigint;
    readonly crossed: Facts['assets'][number]['crossed'];
  }[];
  readonly networks: readonly NetworkSpec[];
  readonly markets: readonly V1Market[];
  readonly families: readonly {
    readonly name: string;
    readonly restrictions: readonly Restriction[];
    readonly feeTier: number;
    readonly volumeByDay: BigInt64Array;
  }[];
  readonly accounts: readonly (V1Account | null)[];
  readonly keys: readonly {
    readonly account: number;
    readonly accessKey: string;
    readonly sealedSecret: Uint8Array;
    readonly permissions: readonly Permission[];
    readonly expiresAtMs?: number;
    readonly addresses?: readonly string[];
    readonly isRevoked: boolean;
  }[];
  readonly ledger: {
    readonly available: BigInt64Array;
    readonly reserved: BigInt64Array;
    readonly touchedAtMs: Float64Array;
    readonly rows: number;
    readonly stride: number;
  };
  readonly requests: {
    readonly bySecond: ReadonlyMap<
      number,
      { readonly untilMs: number; readonly sequenceByName: ReadonlyMap<string, number> }
    >;
    readonly forgottenThrough: number;
    readonly sweptAt: number;
  };
  readonly orders: V1Orders;
  readonly standings: {
    readonly used: number;
    readonly account: Int32Array;
    readonly market: Int32Array;
    readonly lots: Float64Array;
    readonly cost: BigInt64Array;
    readonly updatedAtMs: Float64Array;
    readonly startLots: Float64Array;
  };
  readonly liquidating: readonly number[];
  readonly backstops: Facts['backstops'];
};

type V1Account = {
  readonly family: number;
  readonly name: string;
  readonly accountType: AccountType;
  readonly createdAtMs: number;
  readonly isActive: boolean;
  readonly liquidating: boolean;
  readonly stepAtMs: number;
  readonly fruitlessSteps: number;
  readonly firstOrder: number;
};

type V1Market = {
  readonly spec: Omit<MarketSpec, 'impactNotional'>;
  readonly version: number;
  readonly clearing: number;
  readonly listedAtMs: number;
  readonly state: MarketState;
  readonly stateReason: string;
  readonly book: V1Book;
  readonly lastTicks: number;
  readonly lastLots: number;
  readonly lastMatchAtMs: number;
  readonly matches: number;
  readonly price: { readonly updatedAtMs: number };
  readonly premium: {
    readonly samples: BigInt64Array;
    readonly next: number;
    readonly count: number;
    readonly hour: number;
    readonly hourSum: bigint;
    readonly hourSeconds: number;
    readonly second: number;
  };
};

/** Volumes were counted in parts then, in 64 bits: a day that had passed 2^63 of them had wrapped. */
function wholeNative({ assets }: V1State, parts: bigint): bigint {
  const scale = assets.find(({ spec }) => spec.code === 'OX')?.spec.scale ?? 0;
  return parts < 0n ? VOLUME_MAX : parts / 10n ** BigInt(scale);
}
const VOLUME_MAX = 2n ** 63n - 1n;

/** The venue's own rows: outside, fees, insurance, rounding, deficit, suspense, network-costs. */
const OWN_ROWS = 7;

function marketFacts(market: V1Market): MarketFacts {
  const { spec, version, listedAtMs, state, stateReason } = market;
  const { lastTicks, lastLots, lastMatchAtMs, matches } = market;
  const { samples, next, count, hour, hourSum, hourSeconds, second } = market.premium;
  const oldestFirst = Array.from(
    { length: count },
    (_, at) => samples[(next - count + at + samples.length) % samples.length] as bigint,
  );
  return {
    spec: { ...spec, impactNotional: impactNotionalOf(spec) },
    version,
    listedAtMs,
    state,
    stateReason,
    lastTicks,
    lastLots,
    lastMatchAtMs,
    matches,
    pricedAtMs: market.price.updatedAtMs,
    premium: { samples: oldestFirst, hour, hourSum, hourSeconds, second },
  };
}

/** No setting then: 1 million OX for bitcoin and ether, 200,000 for all other perpetuals. */
function impactNotionalOf({ type, base }: V1Market['spec']): bigint {
  if (type === 'SPOT') return 0n;
  return base === 'BTC' || base === 'ETH' ? 10n ** 14n : 2n * 10n ** 13n;
}

function holderFacts({ accounts, markets }: V1State): HolderFacts[] {
  const marketByClearing = new Map(markets.map(({ clearing }, index) => [clearing, index]));
  return accounts.slice(OWN_ROWS).map((account, at): HolderFacts => {
    if (account === null) {
      return { kind: 'clearing', market: marketByClearing.get(OWN_ROWS + at) ?? -1 };
    }
    const { family, name, accountType, createdAtMs, isActive } = account;
    const { liquidating, stepAtMs, fruitlessSteps: unsoldSteps } = account;
    const who = { kind: 'account', family, name, accountType, createdAtMs, isActive } as const;
    return { ...who, liquidating, stepAtMs, unsoldSteps };
  });
}

function purseFacts({ ledger, assets }: V1State): PurseFacts[] {
  const purses: PurseFacts[] = [];
  for (let holder = 0; holder < ledger.rows; holder++) {
    for (let asset = 0; asset < assets.length; asset++) {
      const purse = holder * ledger.stride + asset;
      const available = ledger.available[purse] as bigint;
      const reserved = ledger.reserved[purse] as bigint;
      const touchedAtMs = ledger.touchedAtMs[purse] as number;
      if (touchedAtMs === 0 && available === 0n && reserved === 0n) continue;
      purses.push({ holder, asset, available, reserved, touchedAtMs });
    }
  }
  return purses;
}

function standingFacts({ standings }: V1State): StandingFacts[] {
  return Array.from({ length: standings.used }, (_, at) => ({
    account: standings.account[at] as number,
    market: standings.market[at] as number,
    lots: standings.lots[at] as number,
    cost: standings.cost[at] as bigint,
    updatedAtMs: standings.updatedAtMs[at] as number,
    startLots: standings.startLots[at] as number,
    // Counted per account then, and only steps that brought nothing at all: the count begins anew.
    unclosedSteps: 0,
  }));
}
