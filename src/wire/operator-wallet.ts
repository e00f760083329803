import { Type } from 'typebox';
import { FUNDS } from '../domain/terms.ts';
import { SECOND_FACTORS } from '../domain/wallet.ts';
import { endpoint } from './endpoint.ts';
import { LIST_LIMITS, NameSent, READERS, ReasonSent } from './operator-names.ts';
import {
  DecimalText,
  FlagSent,
  IdSent,
  IdText,
  LimitSent,
  NumberSent,
  TimeText,
  WordSent,
} from './scalars.ts';

/** Deposits, withdrawals and the venue's own funds, as operators see and manage them. */

const OWNER = { family: Type.String(), name: Type.String(), accountId: IdText };
const PLACE = {
  asset: Type.String(),
  network: Type.String(),
  address: Type.String(),
  memo: Type.Optional(Type.String()),
};

/** `value`, `spent`, `dailyLimit`, `automaticLimit`, `collateral` and `initialMargin` are native, at index. */
const Checks = Type.Object({
  secondFactor: Type.Optional(Type.Enum([...SECOND_FACTORS])),
  whitelisted: Type.Boolean(),
  addressSince: TimeText,
  value: DecimalText,
  spent: DecimalText,
  dailyLimit: DecimalText,
  automaticLimit: DecimalText,
  collateral: DecimalText,
  initialMargin: DecimalText,
});

const OpenWithdrawal = Type.Object({
  id: IdText,
  ...OWNER,
  ...PLACE,
  quantity: DecimalText,
  fee: DecimalText,
  status: Type.String(),
  /** Why it waits; it continues when the last one is gone. */
  holds: Type.Array(Type.String()),
  /** When the hold for a new address ends by itself. */
  addressHoldEndsAt: Type.Optional(TimeText),
  /** Operators who have released it above the limit; two are needed. */
  releasedBy: Type.Array(Type.String()),
  checks: Checks,
  txId: Type.Optional(Type.String()),
  requestedAt: TimeText,
});

export const listWithdrawals = endpoint({
  method: 'GET',
  path: '/operator/v1/withdrawals',
  access: 'operator',
  roles: READERS,
  summary:
    'Unfinished withdrawals by ascending id, with the holds and what each was tested against when it was requested',
  request: Type.Object({
    held: Type.Optional(FlagSent),
    id: Type.Optional(IdSent),
    limit: Type.Optional(LimitSent),
    afterId: Type.Optional(IdSent),
  }),
  reply: Type.Array(OpenWithdrawal),
  limits: LIST_LIMITS,
});

const ACT_ON_WITHDRAWAL = Type.Object({ id: IdSent, reason: ReasonSent });
/** `done` is false if another operator must do the same before it takes effect. */
const WithdrawalNow = Type.Object({
  id: IdText,
  status: Type.String(),
  holds: Type.Array(Type.String()),
  done: Type.Boolean(),
});

export const holdWithdrawal = endpoint({
  method: 'POST',
  path: '/operator/v1/withdrawals/hold',
  access: 'operator',
  roles: ['treasury', 'risk'],
  summary: 'Hold a withdrawal for review, before a sender has taken it',
  request: ACT_ON_WITHDRAWAL,
  reply: WithdrawalNow,
});

export const releaseWithdrawal = endpoint({
  method: 'POST',
  path: '/operator/v1/withdrawals/release',
  access: 'operator',
  roles: ['treasury'],
  summary:
    'End the holds that operators may end: a review, and the automatic limit, which takes two different operators',
  request: ACT_ON_WITHDRAWAL,
  reply: WithdrawalNow,
});

export const cancelWithdrawalOf = endpoint({
  method: 'POST',
  path: '/operator/v1/withdrawals/cancel',
  access: 'operator',
  roles: ['treasury'],
  summary: 'Cancel a withdrawal that no sender has taken: all of it returns to the account',
  request: ACT_ON_WITHDRAWAL,
  reply: WithdrawalNow,
});

const OpenDeposit = Type.Object({
  id: IdText,
  ...OWNER,
  ...PLACE,
  quantity: DecimalText,
  status: Type.String(),
  hold: Type.Optional(Type.String()),
  /** Credited, and no longer on its chain. */
  vanished: Type.Boolean(),
  reversedBy: Type.Array(Type.String()),
  txId: Type.String(),
  output: Type.String(),
  height: Type.String(),
  seenAt: TimeText,
  creditedAt: Type.Optional(TimeText),
});

export const listDeposits = endpoint({
  method: 'GET',
  path: '/operator/v1/deposits',
  access: 'operator',
  roles: READERS,
  summary:
    'Deposits that their chain could still undo, by ascending id; `waiting` for those on hold or vanished',
  request: Type.Object({
    waiting: Type.Optional(FlagSent),
    limit: Type.Optional(LimitSent),
    afterId: Type.Optional(IdSent),
  }),
  reply: Type.Array(OpenDeposit),
  limits: LIST_LIMITS,
});

const ACT_ON_DEPOSIT = Type.Object({ id: IdSent, reason: ReasonSent });
const DepositNow = Type.Object({ id: IdText, status: Type.String(), done: Type.Boolean() });

export const completeDeposit = endpoint({
  method: 'POST',
  path: '/operator/v1/deposits/complete',
  access: 'operator',
  roles: ['treasury'],
  summary: 'Credit a deposit that waits in suspense to its account',
  request: ACT_ON_DEPOSIT,
  reply: DepositNow,
});

export const reverseDeposit = endpoint({
  method: 'POST',
  path: '/operator/v1/deposits/reverse',
  access: 'operator',
  roles: ['treasury'],
  summary:
    'Take back a credited deposit that its chain has taken away, from what is available, then from the deficit; takes two operators',
  request: ACT_ON_DEPOSIT,
  reply: DepositNow,
});

const Way = Type.Object({
  network: Type.String(),
  asset: Type.String(),
  deposits: Type.Boolean(),
  withdrawals: Type.Boolean(),
  fee: DecimalText,
  /** Set by an operator: it stays until it is released, whatever the chain estimates. */
  feeFixed: Type.Boolean(),
  feeSetAt: Type.Optional(TimeText),
  /** The block up to which the network has been read. */
  height: Type.String(),
});

export const listNetworks = endpoint({
  method: 'GET',
  path: '/operator/v1/networks',
  access: 'operator',
  roles: READERS,
  summary: 'Every asset on every network: whether it is open, and the withdrawal fee',
  request: Type.Object({}),
  reply: Type.Array(Way),
});

export const setNetwork = endpoint({
  method: 'POST',
  path: '/operator/v1/networks/state',
  access: 'operator',
  roles: ['treasury', 'risk'],
  summary: 'Open or close deposits and withdrawals of an asset on a network',
  request: Type.Object({
    network: WordSent,
    asset: WordSent,
    deposits: FlagSent,
    withdrawals: FlagSent,
  }),
  reply: Way,
});

export const setFee = endpoint({
  method: 'POST',
  path: '/operator/v1/fees',
  access: 'operator',
  roles: ['treasury'],
  summary:
    "Fix the withdrawal fee of an asset on a network, in the asset; at most once a minute. It stays until it is released, whatever the chain's estimate is",
  request: Type.Object({ network: WordSent, asset: WordSent, fee: NumberSent }),
  reply: Way,
});

export const releaseFee = endpoint({
  method: 'POST',
  path: '/operator/v1/fees/release',
  access: 'operator',
  roles: ['treasury'],
  summary: "Let a fixed withdrawal fee follow the chain's estimate again, from the next minute on",
  request: Type.Object({ network: WordSent, asset: WordSent }),
  reply: Way,
});

export const rescanNetwork = endpoint({
  method: 'POST',
  path: '/operator/v1/networks/rescan',
  access: 'operator',
  roles: ['treasury'],
  summary:
    'Read the blocks of a network again from a height, at most 10,000 below what was read; what is known already stays as it is. One at a time for a network',
  request: Type.Object({
    network: WordSent,
    height: Type.String({ pattern: '^[1-9][0-9]{0,14}$', description: 'a block, from 1 on' }),
    reason: ReasonSent,
  }),
  reply: Type.Object({ network: Type.String(), height: Type.String(), readHeight: Type.String() }),
});

const WithdrawalLimits = Type.Object({ daily: DecimalText, automatic: DecimalText });

export const setWithdrawalLimits = endpoint({
  method: 'POST',
  path: '/operator/v1/limits/withdrawals',
  access: 'operator',
  roles: ['treasury'],
  summary:
    'What a family may take out in 24 hours, and at once without an operator, by index value in native; only an `admin` raises either',
  request: Type.Object({ daily: NumberSent, automatic: NumberSent }),
  reply: WithdrawalLimits,
});

const Funds = Type.Object({
  asset: Type.String(),
  fees: DecimalText,
  insurance: DecimalText,
  rounding: DecimalText,
  networkCosts: DecimalText,
  deficit: DecimalText,
  suspense: DecimalText,
});

export const listFunds = endpoint({
  method: 'GET',
  path: '/operator/v1/funds',
  access: 'operator',
  roles: READERS,
  summary: "The venue's own purses by asset: fees, insurance and what it could not pay",
  request: Type.Object({}),
  reply: Type.Array(Funds),
});

const FundSent = Type.Enum([...FUNDS], { description: `one of ${FUNDS.join(', ')}` });

export const moveFunds = endpoint({
  method: 'POST',
  path: '/operator/v1/funds/move',
  access: 'operator',
  roles: ['treasury'],
  summary:
    "Move value between the venue's own purses; what goes to insurance repays the deficit first, and the deficit takes no more than it owes",
  request: Type.Object({
    from: FundSent,
    to: FundSent,
    asset: WordSent,
    quantity: NumberSent,
    reason: ReasonSent,
  }),
  reply: Funds,
});

export const payOut = endpoint({
  method: 'POST',
  path: '/operator/v1/funds/pay-out',
  access: 'operator',
  roles: ['treasury'],
  summary:
    "Pay from one of the venue's own purses to an account, such as the fees that the venue has earned; takes two operators who ask for the same within a day. `main` unless a name is given",
  request: Type.Object({
    from: FundSent,
    family: NameSent,
    name: Type.Optional(NameSent),
    asset: WordSent,
    quantity: NumberSent,
    reason: ReasonSent,
  }),
  reply: Type.Object({ ...Funds.properties, state: Type.Enum(['ASKED', 'PAID']) }),
});

export const payIn = endpoint({
  method: 'POST',
  path: '/operator/v1/funds/pay-in',
  access: 'operator',
  roles: ['admin'],
  summary:
    "Move what an account has available into one of the venue's own purses, such as the coin that pays for transactions on networks; `main` unless a name is given",
  request: Type.Object({
    family: NameSent,
    name: Type.Optional(NameSent),
    to: FundSent,
    asset: WordSent,
    quantity: NumberSent,
    reason: ReasonSent,
  }),
  reply: Funds,
});
