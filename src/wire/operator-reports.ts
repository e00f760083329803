import { Type } from 'typebox';
import { endpoint } from './endpoint.ts';
import { NameSent, READERS } from './operator-names.ts';
import { DecimalText, IdSent, IdText, LimitSent, TimeSent, TimeText } from './scalars.ts';

/** Reports for operators: an overview of the venue, risk, solvency, the audit log, and a search. */

const Act = Type.Object({
  /** Sequence of the command in the journal. */
  sequence: Type.String(),
  time: TimeText,
  actor: Type.String(),
  act: Type.String(),
  subject: Type.String(),
  before: Type.String(),
  after: Type.String(),
  reason: Type.String(),
  /** Attempted and refused: `act` is the endpoint, `subject` the request, `reason` why it was refused. */
  refused: Type.Boolean(),
});

export const listActs = endpoint({
  method: 'GET',
  path: '/operator/v1/audit',
  access: 'operator',
  roles: READERS,
  summary:
    'The audit log: acts of operators, and what they tried and were refused (of one at most 10 a minute), newest first',
  request: Type.Object({
    actor: Type.Optional(NameSent),
    startTime: Type.Optional(TimeSent),
    endTime: Type.Optional(TimeSent),
    beforeSequence: Type.Optional(IdSent),
    limit: Type.Optional(LimitSent),
  }),
  reply: Type.Array(Act),
  limits: { page: { default: 100, max: 1_000 } },
});

const Solvency = Type.Object({
  asset: Type.String(),
  liabilities: DecimalText,
  wallets: DecimalText,
  nativeDebt: DecimalText,
  clearing: DecimalText,
  deficit: DecimalText,
  fees: DecimalText,
  insurance: DecimalText,
  rounding: DecimalText,
  networkCosts: DecimalText,
  suspense: DecimalText,
  /** What the wallets hold according to the chains, if they have been queried. */
  onChain: Type.Optional(DecimalText),
  /** The part of it on deposit addresses of external nodes, not yet swept into the hot wallet. */
  unswept: Type.Optional(DecimalText),
  /** Some deposit addresses have not been queried since the start: there may be more. */
  onChainPartial: Type.Optional(Type.Boolean()),
  /** wallets - liabilities - suspense: below zero, not everybody could be paid. */
  surplus: DecimalText,
});

export const getSolvency = endpoint({
  method: 'GET',
  path: '/operator/v1/solvency',
  access: 'operator',
  roles: READERS,
  summary:
    'Per asset what the venue owes its accounts and what it has: wallets are genesis + deposits - withdrawals - gas',
  request: Type.Object({}),
  reply: Type.Array(Solvency),
});

const RiskAccount = Type.Object({
  family: Type.String(),
  name: Type.String(),
  accountId: IdText,
  marginRatio: DecimalText,
  collateral: DecimalText,
  maintenanceMargin: DecimalText,
  notional: DecimalText,
  liquidating: Type.Boolean(),
});

export const getRisk = endpoint({
  method: 'GET',
  path: '/operator/v1/risk',
  access: 'operator',
  roles: READERS,
  summary:
    'Accounts with positions, orders on margin or debts: how many by margin ratio, and those with the highest',
  request: Type.Object({ limit: Type.Optional(LimitSent) }),
  reply: Type.Object({
    /** The time of the figures, which are cached for a second. */
    time: TimeText,
    /** Accounts with a ratio from `from` up to that of the next row. */
    histogram: Type.Array(Type.Object({ from: DecimalText, accounts: Type.String() })),
    top: Type.Array(RiskAccount),
    /** Up to ten positions per market and side, in the order in which ADL would close them. */
    adl: Type.Array(
      Type.Object({
        marketCode: Type.String(),
        side: Type.Enum(['LONG', 'SHORT']),
        positions: Type.Array(
          Type.Object({
            family: Type.String(),
            name: Type.String(),
            accountId: IdText,
            position: DecimalText,
            /** (profit / cost) x (notional / collateral), truncated to four decimals. */
            rank: DecimalText,
          }),
        ),
      }),
    ),
  }),
  limits: { page: { default: 20, max: 200 } },
});

export const getOverview = endpoint({
  method: 'GET',
  path: '/operator/v1/overview',
  access: 'operator',
  roles: READERS,
  summary: 'The venue at a glance',
  request: Type.Object({}),
  reply: Type.Object({
    time: TimeText,
    sequence: Type.String(),
    digest: Type.String(),
    commandsPerSecond: DecimalText,
    /** Commands that wait for the disk. */
    waiting: Type.String(),
    historyLag: Type.String(),
    /** How long the journal took to make a group of commands durable, over the last 512 groups. */
    syncMedianMs: Type.Optional(DecimalText),
    syncP99Ms: Type.Optional(DecimalText),
    /** Commands that the follower has not replayed yet; up to there its digests equal the writer's. */
    followerLag: Type.Optional(Type.String()),
    /** When all invariants were last checked; a failed check stops the venue. */
    auditedSequence: Type.Optional(Type.String()),
    auditedAt: Type.Optional(TimeText),
    historyTrouble: Type.Optional(Type.String()),
    ordersRefused: Type.Optional(Type.String({ description: 'why new orders are not taken' })),
    diskFreeBytes: Type.Optional(Type.String()),
    heldWithdrawals: Type.String(),
    waitingDeposits: Type.String(),
    /** With a margin ratio of 50 or more. */
    accountsAtRisk: Type.String(),
    liquidating: Type.String(),
    insurance: DecimalText,
    deficit: DecimalText,
    markets: Type.Array(
      Type.Object({
        marketCode: Type.String(),
        state: Type.String(),
        reason: Type.String(),
        operational: Type.Boolean(),
      }),
    ),
    chains: Type.Array(
      Type.Object({
        network: Type.String(),
        height: Type.String(),
        hotWallet: Type.String(),
        trouble: Type.Optional(Type.String()),
      }),
    ),
  }),
});

const FoundAccount = Type.Object({
  family: Type.String(),
  name: Type.String(),
  accountId: IdText,
  active: Type.Boolean(),
});

export const search = endpoint({
  method: 'GET',
  path: '/operator/v1/search',
  access: 'operator',
  roles: READERS,
  summary:
    'Families, accounts, keys, open orders, withdrawals and deposits, finished ones too, by id, name, label, address or transaction',
  request: Type.Object({
    q: Type.String({ minLength: 1, maxLength: 128, description: '1 to 128 characters' }),
    limit: Type.Optional(LimitSent),
  }),
  reply: Type.Object({
    families: Type.Array(Type.String()),
    accounts: Type.Array(FoundAccount),
    keys: Type.Array(
      Type.Object({ accessKey: Type.String(), accountId: IdText, revoked: Type.Boolean() }),
    ),
    orders: Type.Array(
      Type.Object({ orderId: IdText, marketCode: Type.String(), accountId: IdText }),
    ),
    withdrawals: Type.Array(
      Type.Object({ id: IdText, accountId: IdText, status: Type.String(), asset: Type.String() }),
    ),
    deposits: Type.Array(
      Type.Object({ id: IdText, accountId: IdText, status: Type.String(), asset: Type.String() }),
    ),
    /** There may be more than is shown. */
    cut: Type.Boolean(),
  }),
  limits: { page: { default: 20, max: 100 } },
});

export const backUp = endpoint({
  method: 'POST',
  path: '/operator/v1/backup',
  access: 'operator',
  roles: ['admin'],
  summary:
    'Copy the running venue into a new folder on its own machine: journal, snapshots, event log, history, keys',
  request: Type.Object({
    to: Type.String({ minLength: 1, maxLength: 1_000, description: 'an absolute path' }),
  }),
  reply: Type.Object({
    folder: Type.String(),
    sequence: Type.String(),
    digest: Type.String(),
    files: Type.String(),
    bytes: Type.String(),
  }),
});
