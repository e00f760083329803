import type { ByteWriter } from '../../bytes/pack.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { depositIdText, withdrawalIdText } from '../../domain/ids.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import {
  AMOUNT_LIMIT,
  type AssetIndex,
  amount,
  type FamilyIndex,
  type NetworkIndex,
} from '../../domain/units.ts';
import type {
  OperateDeposit,
  OperateWithdrawal,
  ReleaseWithdrawalFee,
  ResetFactor,
  SetNetworkState,
  SetWithdrawalFee,
  SetWithdrawalLimits,
} from '../../domain/wallet-commands.ts';
import { DAY_MS, type Deposit, familyWalletOf, type Withdrawal } from '../memory/wallet.ts';
import { assetIndexOf, type State } from '../state.ts';
import { countVanished, emitDeposit, passOn, takeBack } from '../wallet/deposits.ts';
import {
  addHold,
  cancelWithdrawal,
  emitWithdrawal,
  endHold,
  isCancellable,
} from '../wallet/withdrawals.ts';

/** Operators' acts on deposits and withdrawals. None of them creates value. */

const REASON_MAX = 200;
/**
 * How many different operators are needed to release a withdrawal above the limit, or to reverse a deposit.
 */
const OPERATORS_NEEDED = 2;
/** The shortest time between two changes of a fee: a caller's estimate stays valid meanwhile. */
const FEE_PAUSE_MS = 60_000;

export function operateWithdrawal(
  state: State,
  command: OperateWithdrawal,
  out: ByteWriter,
): Refusal | undefined {
  const { id, act, actor, reason } = command;
  const withdrawal = state.wallet.withdrawals.get(id);
  if (withdrawal === undefined) {
    return refuse('RESULT_NOT_FOUND', `there is no unfinished withdrawal ${withdrawalIdText(id)}`);
  }
  if (reason.length > REASON_MAX) {
    return refuse('PARAMETER_INVALID', `a reason has at most ${REASON_MAX} characters`);
  }
  if (!isCancellable(withdrawal)) {
    return refuse('WITHDRAWAL_FAILED', `it is ${withdrawal.status}: a sender has taken it`);
  }
  if (act === 'cancel') {
    cancelWithdrawal(state, withdrawal, { cause: reason, actor }, out);
    return undefined;
  }
  if (act === 'release') return releaseWithdrawal(withdrawal, actor, out);
  addHold(withdrawal, 'review');
  emitWithdrawal(out, withdrawal, actor);
  return undefined;
}

function releaseWithdrawal(
  withdrawal: Withdrawal,
  actor: string,
  out: ByteWriter,
): Refusal | undefined {
  if (withdrawal.status !== 'ON HOLD') {
    return refuse('WITHDRAWAL_FAILED', `it is ${withdrawal.status}, not ON HOLD`);
  }
  const { approvals } = withdrawal;
  const isAboveLimit = withdrawal.holds.includes('above-limit');
  if (isAboveLimit && approvals.includes(actor)) {
    return refuse('REPEATED_CLICK', `${actor} has released it already; another operator must too`);
  }
  endHold(withdrawal, 'review');
  if (isAboveLimit) {
    approvals.push(actor);
    if (approvals.length >= OPERATORS_NEEDED) endHold(withdrawal, 'above-limit');
  }
  emitWithdrawal(out, withdrawal, actor);
  return undefined;
}

export function operateDeposit(
  state: State,
  command: OperateDeposit,
  out: ByteWriter,
): Refusal | undefined {
  const { id, act, actor } = command;
  const key = state.wallet.depositKeyById.get(id);
  const deposit = key === undefined ? undefined : state.wallet.deposits.get(key);
  if (deposit === undefined)
    return refuse('RESULT_NOT_FOUND', `no deposit ${depositIdText(id)} can be changed`);
  return act === 'complete'
    ? completeDeposit(state, deposit, actor, out)
    : reverseDeposit(state, deposit, actor, out);
}

function completeDeposit(
  state: State,
  deposit: Deposit,
  actor: string,
  out: ByteWriter,
): Refusal | undefined {
  if (deposit.status !== 'ON HOLD') {
    return refuse(
      'REPEATED_CLICK',
      `deposit ${depositIdText(deposit.id)} is ${deposit.status}, not ON HOLD`,
    );
  }
  if (deposit.hold === 'too-large') {
    return refuse('LIMIT_REACHED', 'it is more than the ledger can count');
  }
  passOn(state, deposit);
  deposit.status = 'COMPLETED';
  deposit.creditedAtMs = state.timeMs;
  emitDeposit(out, deposit, { credited: deposit.quantity, actor });
  if (deposit.isVanished) countVanished(state, deposit, 1, out);
  return undefined;
}

/** Only a deposit that the chain has taken back, and only by two operators. */
function reverseDeposit(
  state: State,
  deposit: Deposit,
  actor: string,
  out: ByteWriter,
): Refusal | undefined {
  if (deposit.status !== 'COMPLETED' || !deposit.isVanished) {
    return refuse('WITHDRAWAL_FAILED', `deposit ${depositIdText(deposit.id)} is on its chain`);
  }
  const { approvals } = deposit;
  if (approvals.includes(actor)) {
    return refuse('REPEATED_CLICK', `${actor} has asked for it; another operator must too`);
  }
  approvals.push(actor);
  if (approvals.length < OPERATORS_NEEDED) {
    emitDeposit(out, deposit, { actor });
    return undefined;
  }
  const paid = takeBack(state, deposit);
  deposit.status = 'FAILED';
  deposit.isVanished = false;
  emitDeposit(out, deposit, { credited: amount(-paid), actor });
  countVanished(state, deposit, -1, out);
  return undefined;
}

export function setWithdrawalLimits(
  state: State,
  { daily, automatic }: SetWithdrawalLimits,
  out: ByteWriter,
): Refusal | undefined {
  for (const limit of [daily, automatic]) {
    if (limit < 0n || limit >= AMOUNT_LIMIT) {
      return refuse('PARAMETER_INVALID', `a limit of ${limit} native parts`);
    }
  }
  state.wallet.limits.daily = daily;
  state.wallet.limits.automatic = automatic;
  encodeEvent(out, { kind: 'withdrawal-limits-set', daily, automatic });
  return undefined;
}

export function setNetworkState(
  state: State,
  command: SetNetworkState,
  out: ByteWriter,
): Refusal | undefined {
  const { canDeposit, canWithdraw } = command;
  const network = state.networks.findIndex(({ name }) => name === command.network);
  const asset = assetIndexOf(state, command.asset);
  const way = state.wallet.networks[network]?.ways.find((one) => one.asset === asset);
  if (asset === undefined || way === undefined) {
    return refuse('ASSET_UNKNOWN', `${command.asset} does not go by ${command.network}`);
  }
  way.canDeposit = canDeposit;
  way.canWithdraw = canWithdraw;
  encodeEvent(out, {
    kind: 'network-state-set',
    network: network as NetworkIndex,
    asset: asset as AssetIndex,
    canDeposit,
    canWithdraw,
  });
  return undefined;
}

export function setWithdrawalFee(
  state: State,
  { network, asset, fee, actor }: SetWithdrawalFee,
  out: ByteWriter,
): Refusal | undefined {
  const way = state.wallet.networks[network]?.ways.find((one) => one.asset === asset);
  if (way === undefined) return refuse('ASSET_UNKNOWN');
  if (fee < 0n || fee >= AMOUNT_LIMIT) return refuse('WITHDRAWAL_FEE_WRONG', `${fee} parts`);
  const isFixed = actor !== undefined;
  if (way.isFeeFixed && !isFixed) {
    return refuse('WITHDRAWAL_FEE_WRONG', 'an operator has fixed it');
  }
  if (fee === way.fee) {
    way.isFeeFixed = isFixed;
    return undefined;
  }
  if (way.feeSetAtMs > 0 && state.timeMs < way.feeSetAtMs + FEE_PAUSE_MS) {
    return refuse('TOO_RAPID', `the fee may change again after ${way.feeSetAtMs + FEE_PAUSE_MS}`);
  }
  way.feeBefore = way.feeSetAtMs === 0 ? fee : way.fee;
  way.fee = fee;
  way.feeSetAtMs = state.timeMs;
  way.isFeeFixed = isFixed;
  encodeEvent(out, {
    ...{ kind: 'withdrawal-fee-set', network, asset, fee },
    ...(isFixed ? { isFixed } : {}),
  });
  return undefined;
}

export function releaseWithdrawalFee(
  state: State,
  { network, asset }: ReleaseWithdrawalFee,
): Refusal | undefined {
  const way = state.wallet.networks[network]?.ways.find((one) => one.asset === asset);
  if (way === undefined) return refuse('ASSET_UNKNOWN');
  if (!way.isFeeFixed) return refuse('REPEATED_CLICK', 'the fee follows the chain already');
  way.isFeeFixed = false;
  return undefined;
}

/** The first operator requests, the second executes: a request is valid for this long. */
const RESET_REQUEST_MS = DAY_MS;

export function resetFactor(
  state: State,
  { family: name, factor, actor, reason }: ResetFactor,
  out: ByteWriter,
): Refusal | undefined {
  const family = state.familyByName.get(name) as FamilyIndex | undefined;
  if (family === undefined) return refuse('SUB_ACCOUNT_INVALID', `family ${name}`);
  if (reason.length > REASON_MAX) {
    return refuse('PARAMETER_INVALID', `a reason has at most ${REASON_MAX} characters`);
  }
  const familyWallet = familyWalletOf(state.wallet, family);
  const found = familyWallet.factors.find(
    (one) => one.factor === factor && state.timeMs < one.removedAtMs,
  );
  if (found === undefined) return refuse('SECOND_FACTOR_OFF', factor);
  const isRequested = found.resetBy !== '' && state.timeMs < found.resetAtMs + RESET_REQUEST_MS;
  if (isRequested && found.resetBy === actor) {
    return refuse('REPEATED_CLICK', `${actor} has asked for it; another operator must too`);
  }
  if (!isRequested) {
    found.resetBy = actor;
    found.resetAtMs = state.timeMs;
    return undefined;
  }
  found.removedAtMs = state.timeMs;
  found.resetBy = '';
  const waitUntilMs = Math.max(familyWallet.waitUntilMs, state.timeMs + familyWallet.delayMs);
  familyWallet.waitUntilMs = waitUntilMs;
  encodeEvent(out, { kind: 'factor-removed', family, factor, atMs: state.timeMs, waitUntilMs });
  return undefined;
}
