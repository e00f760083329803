import { createHmac } from 'node:crypto';
import type { Command } from '../domain/commands.ts';
import type { AssetSpec, MarketSpec } from '../domain/market.ts';
import type { Permission } from '../domain/terms.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type FamilyIndex,
  type KeyIndex,
  type MarketIndex,
  sequence,
  timeMs,
  usdPrice,
} from '../domain/units.ts';
import type { AccountEntry, Directory, KeyEntry, PositionView, Views } from '../domain/views.ts';
import { manualClock } from '../engine/clock.ts';
import type { Engine, Submitted } from '../engine/engine.ts';
import { messageToSign } from '../wire/signing.ts';
import { countAttempts } from './access/attempts.ts';
import { limitNewKeys } from './access/new-keys.ts';
import type { Operator, Operators } from './http/authenticate-operator.ts';
import { secondFactors } from './request/second-factors.ts';
import { ignoreUnknown } from './request/strict-members.ts';
import type { RouteParts } from './server.ts';

/**
 * A fake venue for tests of the edge alone: two families, a handful of keys, fixed balances. What the edge
 * asks of it is recorded; what it answers can be replaced.
 */
export const NOW_MS = Date.UTC(2025, 2, 4, 5, 6, 7);
export const SECRET = 'demo-secret-01';

const ACCOUNTS: readonly Omit<AccountEntry, 'account' | 'accountType' | 'createdAtMs'>[] = [
  { family: 0 as FamilyIndex, name: 'main', isMain: true, isActive: true },
  { family: 0 as FamilyIndex, name: 'desk-a', isMain: false, isActive: true },
  { family: 0 as FamilyIndex, name: 'desk b', isMain: false, isActive: true },
  { family: 0 as FamilyIndex, name: 'asleep', isMain: false, isActive: false },
  { family: 1 as FamilyIndex, name: 'main', isMain: true, isActive: true },
  { family: 1 as FamilyIndex, name: 'secret desk', isMain: false, isActive: true },
];

const ASSETS: readonly AssetSpec[] = [
  { code: 'OX', scale: 8, loanToValue: 1_000_000_000n },
  { code: 'USDT', scale: 6, loanToValue: 950_000_000n },
];

const BTC_PERPETUAL: MarketSpec = {
  code: 'BTC-USD-SWAP-LIN',
  name: 'BTC/USD Perp',
  referencePair: 'BTC/USD',
  type: 'FUTURE',
  base: 'BTC',
  counter: 'USD',
  priceScale: 0,
  tickParts: 1n,
  quantityScale: 4,
  lotParts: 1n,
  maxOrderLots: 1_000_000,
  band: 100_000_000n,
  impactNotional: 10n ** 14n,
  tiers: [],
  state: 'OPEN',
};

type KeyOptions = Partial<Omit<KeyEntry, 'permissions'>> & { permissions?: Permission[] };
const KEYS: Readonly<Record<string, KeyOptions>> = {
  'main-full': { account: 0 as AccountIndex, permissions: ['read', 'trade', 'withdraw'] },
  'main-read': { account: 0 as AccountIndex },
  'desk-trade': { account: 1 as AccountIndex, permissions: ['read', 'trade'] },
  'other-full': { account: 4 as AccountIndex, permissions: ['read', 'trade', 'withdraw'] },
  revoked: { isRevoked: true },
  expired: { expiresAtMs: NOW_MS - 1 },
  bound: { addresses: ['10.0.0.1'] },
};

const keyEntries = Object.entries(KEYS).map(
  ([accessKey, options], index): KeyEntry => ({
    key: index as KeyIndex,
    account: 0 as AccountIndex,
    accessKey,
    sealedSecret: new TextEncoder().encode(SECRET),
    permissions: ['read'],
    expiresAtMs: undefined,
    addresses: undefined,
    label: '',
    createdAtMs: 0,
    mayWithdrawFromMs: 0,
    isSession: false,
    isRevoked: false,
    ...options,
  }),
);

const familyAccounts = (family: FamilyIndex): AccountIndex[] =>
  ACCOUNTS.flatMap((entry, index) => (entry.family === family ? [index as AccountIndex] : []));

const found = <Value>(value: Value | undefined): Value => {
  if (value === undefined) throw new Error('the edge asked for what does not exist');
  return value;
};

const family = (index: FamilyIndex) => ({
  family: index,
  name: `family-${index}`,
  restrictions: [],
  accounts: familyAccounts(index),
});

export const directory: Directory = {
  keyByAccess: (accessKey) => keyEntries.find((key) => key.accessKey === accessKey),
  key: (index) => keyEntries[index],
  keys: () => keyEntries,
  keysOf: () => keyEntries,
  account: (index) => {
    const entry = ACCOUNTS[index];
    if (entry === undefined) return undefined;
    return { account: index, accountType: 'PORTFOLIO', createdAtMs: 5, ...entry };
  },
  openOrders: () => 0,
  accountsFrom: (first) => ACCOUNTS.map((_, index) => index as AccountIndex).slice(first),
  family,
  families: () => [family(0 as FamilyIndex), family(1 as FamilyIndex)],
  familyByName: (name) => directory.families().find((one) => one.name === name),
  asset: (index) => found(ASSETS[index]),
  assetByCode: (code) => {
    const index = ASSETS.findIndex((asset) => asset.code === code);
    return index < 0 ? undefined : (index as AssetIndex);
  },
  assets: () => ASSETS,
  market: () => BTC_PERPETUAL,
  marketByCode: (code) => (code === BTC_PERPETUAL.code ? (0 as MarketIndex) : undefined),
  marketVersion: () => 1,
  markets: () => [BTC_PERPETUAL],
  networks: () => [],
  networkByName: () => undefined,
  way: () => undefined,
  factors: () => [],
};

const position: PositionView = {
  market: 0 as MarketIndex,
  lots: 200,
  cost: amount(12_000_000_000_000n),
  mark: usdPrice(6_050_000_000_000n),
  unrealised: amount(100_000_000_000n),
  liquidationPrice: usdPrice(-5n),
  lastUpdatedAtMs: 9,
};

function view(ask: { accounts?: readonly AccountIndex[] }, isLong: boolean): unknown {
  const balance = {
    asset: 0 as AssetIndex,
    available: amount(-150_000_000n),
    reserved: amount(25n),
    lastUpdatedAtMs: 7,
  };
  const positions = (account: AccountIndex) => (isLong && account === 0 ? [position] : []);
  return ask.accounts?.map((account) => ({
    account,
    accountType: 'PORTFOLIO',
    balances: [{ ...balance, value: amount(-149_999_975n), collateralValue: balance.available }],
    positions: positions(account),
    collateral: amount(28_900_050_000_000n),
    notional: amount(12_100_000_000_000n),
    initialMargin: amount(1_210_000_000_000n),
    maintenanceMargin: amount(605_000_000_000n),
    marginRatio: 2_093_422n,
    riskRatio: 0n,
    liquidating: false,
    feeTier: 1,
    createdAtMs: 5,
  })) as Views[keyof Views]['result'] | undefined;
}

export type FakeEngine = Engine & {
  readonly submitted: Command[];
  answer: (command: Command) => Promise<Submitted>;
  now: number;
  isStopped: boolean;
  /** Why the disk refuses new orders. */
  diskRefusing: string | undefined;
  isLong: boolean;
  /** What the wall clock says; as the engine's when absent. */
  wallNow?: number;
  releasedSequence: number;
};

export function fakeEngine(): FakeEngine {
  const engine: FakeEngine = {
    submitted: [],
    now: NOW_MS,
    isStopped: false,
    diskRefusing: undefined as string | undefined,
    isLong: false,
    releasedSequence: 4,
    directory,
    nowMs: () => engine.now,
    nextStepAtMs: () => undefined,
    isIdle: () => false,
    indexPrices: () => [],
    refreshed: () => Promise.resolve(),
    status: () => ({
      sequence: 4,
      releasedSequence: engine.releasedSequence,
      digest: '00ff00ff00ff00ff',
      waiting: 0,
      isStopped: engine.isStopped,
      disk: { freeBytes: undefined, refusing: engine.diskRefusing },
      clock: { ...manualClock(engine.now).reading(), wallMs: engine.wallNow ?? engine.now },
    }),
    submit: (command) => {
      engine.submitted.push(command);
      return engine.answer(command);
    },
    answer: async (command) => ({ outcome: transferOutcome(command), isRepeat: false }),
    view: async (_name, ask) => view(ask as object, engine.isLong) as never,
  };
  return engine;
}

function transferOutcome(command: Command): Submitted['outcome'] {
  if (command.kind !== 'transfer') throw new Error('only transfers are pretended');
  const { asset, from, to } = command;
  const moved = { family: 0 as FamilyIndex, asset, from, to };
  return {
    sequence: sequence(5),
    timeMs: timeMs(NOW_MS + 3),
    events: [{ kind: 'transferred', ...moved, amount: command.amount }],
  };
}

export type Sent = {
  readonly accessKey: string;
  readonly secret?: string;
  readonly method?: string;
  readonly path?: string;
  readonly host?: string;
  readonly signedHost?: string;
  readonly timestamp?: string;
  readonly query?: string;
  readonly body?: string;
  readonly sixth?: string;
};

/** The headers that a client would send. */
export function signedHeaders(sent: Sent): Record<string, string> {
  const host = sent.host ?? 'localhost:8080';
  const timestamp = sent.timestamp ?? '2025-03-04T05:06:07';
  const message = messageToSign({
    timestamp,
    nonce: '1',
    method: sent.method ?? 'GET',
    host: sent.signedHost ?? host,
    path: sent.path ?? '/v3/balances',
    sixth: sent.sixth ?? (sent.query ?? '') + (sent.body ?? ''),
  });
  const signature = createHmac('sha256', sent.secret ?? SECRET)
    .update(message)
    .digest('base64');
  return { host, accesskey: sent.accessKey, timestamp, nonce: '1', signature };
}

let pairs = 0;
/** Seals nothing, and numbers what it makes. */
export const keys = {
  newPair: () => ({ accessKey: `made-${++pairs}`, secret: `secret-${pairs}` }),
  newTotpSecret: () => 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  seal: (secret: string): Uint8Array => new TextEncoder().encode(secret),
  unseal: (sealed: Uint8Array): Uint8Array => sealed,
};

/** Passwords are their own hashes. */
export const passwords = {
  hash: async (password: string) => `hash of ${password}`,
  verify: async (password: string, hash: string | undefined) => hash === `hash of ${password}`,
};
export const accessParts = (nowMs = () => NOW_MS) => ({
  ...{ keys, passwords, isOpenToAll: true },
  attempts: countAttempts(nowMs),
  newKeys: limitNewKeys(nowMs),
  lastUse: { atMs: () => undefined },
});

/** What routes need beside engine and history, where a test does not care. */
export const routeParts = (engine: Engine): RouteParts => ({
  checkMembers: ignoreUnknown,
  access: accessParts(),
  depositAddress: () => undefined,
  factors: secondFactors({ engine, unseal: keys.unseal, after: () => undefined }),
});

/** Operators in memory. */
export function operatorsOf(...first: readonly Operator[]): Operators {
  let all = first;
  return {
    all: () => all,
    add: (operator) => {
      all = [...all, operator];
    },
    disable: (name) => {
      all = all.map((one) => (one.name === name ? { ...one, isDisabled: true } : one));
    },
  };
}
