import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import { textFromParts } from '../../domain/decimal.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import type { WithdrawalChecks } from '../../domain/operator-views.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import { type AccountIndex, type Amount, amount, type FamilyIndex } from '../../domain/units.ts';
import type { HoldReason } from '../../domain/wallet.ts';
import type {
  CancelWithdrawal,
  NoteWrongCode,
  RequestWithdrawal,
} from '../../domain/wallet-commands.ts';
import { availableIn, hold, purseOf } from '../memory/ledger.ts';
import { markForReview } from '../memory/pending.ts';
import {
  DAY_MS,
  destinationKey,
  type FamilyWallet,
  familyWalletOf,
  type Withdrawal,
} from '../memory/wallet.ts';
import { indexValue } from '../risk/collateral.ts';
import { marginAfterLeaving, riskOfLeaving } from '../risk/leaving.ts';
import type { State } from '../state.ts';
import { checkDestination } from '../wallet/addresses.ts';
import { type Costs, checkQuantity, costsOf, type OpenWay, wayOut } from '../wallet/costs.ts';
import { checkCode, noteWrongCode, useFactor } from '../wallet/factors.ts';
import {
  cancelWithdrawal,
  emitWithdrawal,
  isBarred,
  isCancellable,
  spentOf,
} from '../wallet/withdrawals.ts';

/** Unfinished withdrawals an account may have. */
const WITHDRAWALS_OPEN_MAX = 1_000;
const FIRST_PAID_MAX = 1_000;

type Context = OpenWay & {
  readonly account: AccountIndex;
  readonly familyIndex: FamilyIndex;
  readonly familyWallet: FamilyWallet;
};

/**
 * Reserves the amount and queues it for a sender, or puts it on hold. Validates, then applies; what no longer
 * counts towards the day's limit is forgotten before, whatever comes of the request.
 */
export function requestWithdrawal(
  state: State,
  command: RequestWithdrawal,
  out: ByteWriter,
): Refusal | undefined {
  const context = contextOf(state, command);
  if (isRefusal(context)) return context;
  dropOldSpending(context.familyWallet, state.timeMs);
  const costs = costsOf(context, command, state.timeMs);
  const value = amount(indexValue(state, command.asset, costs.debited));
  const refusal =
    checkRequest(state, context, command) ??
    checkQuantity(context, command, costs) ??
    checkLimits(state, context, value) ??
    checkFunds(state, context, command, costs);
  if (refusal !== undefined) return refusal;

  const { wallet } = state;
  const checks = checksOf(state, context, command, { value, debited: costs.debited });
  useFactor(context.familyWallet, command.used);
  hold(
    state.ledger,
    purseOf(state.ledger, context.account, command.asset),
    costs.debited,
    state.timeMs,
  );
  if (state.watch.place[context.account] !== 0) markForReview(state.pending, context.account);
  const id = wallet.nextWithdrawal++;
  const holdEndMs = knownSinceMs(state, context, command) + context.familyWallet.delayMs;
  notePayment(state, context, command);
  const holds = holdsOf(state, context, value, holdEndMs);
  const { network, address, memo } = command;
  const withdrawal: Withdrawal = {
    id,
    account: context.account,
    asset: command.asset,
    network,
    address,
    ...(memo === undefined ? {} : { memo }),
    quantity: command.quantity,
    externalFee: command.externalFee,
    ...costs,
    requestedAtMs: state.timeMs,
    status: holds.length === 0 ? 'PENDING' : 'ON HOLD',
    holds,
    holdEndMs,
    approvals: [],
    checks: { ...checks, addressSinceMs: holdEndMs - context.familyWallet.delayMs },
    nonce: -1,
    sinceHeight: 0,
    versions: [],
  };
  wallet.withdrawals.set(id, withdrawal);
  const open = wallet.withdrawalsByAccount.get(context.account) ?? [];
  open.push(id);
  wallet.withdrawalsByAccount.set(context.account, open);
  const { familyWallet } = context;
  familyWallet.spent ??= new Map();
  familyWallet.spent.set(id, { atMs: state.timeMs, value });
  familyWallet.spentSum = amount(familyWallet.spentSum + value);
  if (holds.includes('new-address')) {
    wallet.timedHolds++;
    wallet.nextHoldEndMs = Math.min(wallet.nextHoldEndMs, holdEndMs);
  }
  emitWithdrawal(out, withdrawal);
  return undefined;
}

function contextOf(state: State, command: RequestWithdrawal): Context | Refusal {
  const open = wayOut(state, command);
  return isRefusal(open) ? open : { ...signerOf(state, command.by.key), ...open };
}

/** The key was checked before: it exists, and belongs to the main account of a family. */
export function signerOf(
  state: State,
  keyIndex: number,
): {
  readonly account: AccountIndex;
  readonly familyIndex: FamilyIndex;
  readonly familyWallet: FamilyWallet;
} {
  const account = state.keys[keyIndex]?.account;
  assert(account !== undefined, 'the signer was checked');
  const familyIndex = state.accounts[account]?.family;
  assert(familyIndex !== undefined, 'a key belongs to an account');
  return { account, familyIndex, familyWallet: familyWalletOf(state.wallet, familyIndex) };
}

function checkRequest(
  state: State,
  context: Context,
  command: RequestWithdrawal,
): Refusal | undefined {
  const { familyWallet, network } = context;
  return (
    checkWait(familyWallet, state.timeMs) ??
    checkCode(familyWallet, command.used, state.timeMs) ??
    checkWhitelist(context, command) ??
    checkDestination(network, command.address, command.memo)
  );
}

/** An attacker who persuades two operators must not be faster than the account's owner. */
const checkWait = ({ waitUntilMs }: FamilyWallet, nowMs: number): Refusal | undefined =>
  nowMs < waitUntilMs
    ? refuse(
        'SECOND_FACTOR_LOCKED',
        `operators have removed a second factor: withdrawals wait until ${waitUntilMs}`,
      )
    : undefined;

function checkWhitelist(
  { familyWallet }: Context,
  command: RequestWithdrawal,
): Refusal | undefined {
  if (!familyWallet.isWhitelistOn) return undefined;
  const key = destinationKey(command.asset, command);
  const saved = familyWallet.addresses.find((one) => destinationKey(one.asset, one) === key);
  return saved?.whitelisted === true ? undefined : refuse('WHITELIST_FIRST', command.address);
}

function checkLimits(state: State, context: Context, value: Amount): Refusal | undefined {
  const { familyWallet, account } = context;
  const { daily } = state.wallet.limits;
  const spent = spentOf(familyWallet, state.timeMs);
  if (spent + value > daily) {
    const scale = state.assets[state.native]?.spec.scale ?? 0;
    const text = (parts: bigint): string => textFromParts(parts, scale);
    return refuse(
      'WITHDRAWAL_LIMIT',
      `${text(value)} asked by index value in native, ${text(daily - spent)} ` +
        `of ${text(daily)} left for the last 24 hours`,
    );
  }
  const open = state.wallet.withdrawalsByAccount.get(account)?.length ?? 0;
  return open < WITHDRAWALS_OPEN_MAX
    ? undefined
    : refuse('LIMIT_REACHED', `${WITHDRAWALS_OPEN_MAX} withdrawals may be unfinished at a time`);
}

/** The checks that the request has passed, for the operators who decide about it. */
function checksOf(
  state: State,
  { account, familyWallet }: Context,
  command: RequestWithdrawal,
  { value, debited }: { readonly value: Amount; readonly debited: Amount },
): Omit<WithdrawalChecks, 'addressSinceMs'> {
  const { margin, collateral } = marginAfterLeaving(state, account, command.asset, debited);
  const key = destinationKey(command.asset, command);
  const saved = familyWallet.addresses.find((one) => destinationKey(one.asset, one) === key);
  return {
    ...(command.used === undefined ? {} : { factor: command.used.factor }),
    isWhitelisted: saved?.whitelisted === true,
    value,
    spent: amount(spentOf(familyWallet, state.timeMs)),
    ...state.wallet.limits,
    collateral: amount(collateral),
    initialMargin: amount(margin.initial),
  };
}

/** What is older no longer counts: each is dropped once, so a request looks at one that stays. */
function dropOldSpending(family: FamilyWallet, nowMs: number): void {
  const { spent } = family;
  if (spent === undefined) return;
  for (const [id, { atMs, value }] of spent) {
    if (atMs > nowMs - DAY_MS) return;
    spent.delete(id);
    family.spentSum = amount(family.spentSum - value);
  }
}

function checkFunds(
  state: State,
  { account, asset }: Context,
  command: RequestWithdrawal,
  { debited }: Costs,
): Refusal | undefined {
  const available = availableIn(state.ledger, purseOf(state.ledger, account, command.asset));
  if (available < debited) {
    const text = (parts: bigint): string =>
      `${textFromParts(parts, asset.spec.scale)} ${asset.spec.code}`;
    return refuse(
      'WITHDRAWAL_ABOVE_AVAILABLE',
      `${text(debited)} needed, ${text(available)} available`,
    );
  }
  const risk = riskOfLeaving(state, account, command.asset, debited);
  return risk === undefined ? undefined : refuse('WITHDRAWAL_RISK', risk);
}

/** The age of a saved address counts from when it was saved, of any other from its first payment. */
function knownSinceMs(
  { timeMs }: State,
  { familyWallet }: Context,
  command: RequestWithdrawal,
): number {
  const key = destinationKey(command.asset, command);
  const saved = savedAddress(familyWallet, key);
  return saved?.savedAtMs ?? familyWallet.firstPaidAtMs?.get(key) ?? timeMs;
}

/** Remembers the first payment to an address that is not saved; the oldest gives way to it. */
function notePayment(
  { timeMs }: State,
  { familyWallet }: Context,
  command: RequestWithdrawal,
): void {
  const key = destinationKey(command.asset, command);
  if (savedAddress(familyWallet, key) !== undefined) return;
  familyWallet.firstPaidAtMs ??= new Map();
  const { firstPaidAtMs } = familyWallet;
  if (firstPaidAtMs.has(key)) return;
  if (firstPaidAtMs.size >= FIRST_PAID_MAX) {
    for (const oldest of firstPaidAtMs.keys()) {
      firstPaidAtMs.delete(oldest);
      break;
    }
  }
  firstPaidAtMs.set(key, timeMs);
}

const savedAddress = ({ addresses }: FamilyWallet, key: string) =>
  addresses.find((one) => destinationKey(one.asset, one) === key);

function holdsOf(state: State, context: Context, value: Amount, holdEndMs: number): HoldReason[] {
  const holds: HoldReason[] = [];
  if (holdEndMs > state.timeMs) holds.push('new-address');
  if (value > state.wallet.limits.automatic) holds.push('above-limit');
  if (isBarred(state, context.familyIndex)) holds.push('restriction');
  return holds;
}

/** Only before a sender has taken it; another family's withdrawal is answered as not found. */
export function cancelByUser(
  state: State,
  command: CancelWithdrawal,
  out: ByteWriter,
): Refusal | undefined {
  const { account } = signerOf(state, command.by.key);
  const withdrawal = state.wallet.withdrawals.get(command.id);
  if (withdrawal === undefined || withdrawal.account !== account) {
    return refuse('RESULT_NOT_FOUND', 'there is no unfinished withdrawal with this id');
  }
  if (!isCancellable(withdrawal)) {
    return refuse('WITHDRAWAL_FAILED', `it is ${withdrawal.status} and can no longer be canceled`);
  }
  cancelWithdrawal(state, withdrawal, { cause: 'by the user' }, out);
  return undefined;
}

export function noteWrong(state: State, command: NoteWrongCode, out: ByteWriter): undefined {
  const { familyIndex, familyWallet } = signerOf(state, command.by.key);
  const blockedUntilMs = noteWrongCode(familyWallet, state.timeMs);
  encodeEvent(out, { kind: 'wrong-code-noted', family: familyIndex, blockedUntilMs });
  return undefined;
}
