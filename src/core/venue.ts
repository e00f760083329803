import type { ByteWriter } from '../bytes/pack.ts';
import type { AccessCommand } from '../domain/access-commands.ts';
import type { Command, OperatorCommand, Stamped } from '../domain/commands.ts';
import { encodeEvent } from '../domain/event-codec.ts';
import { type Refusal, refuse } from '../domain/rejections.ts';
import type { WalletCommand } from '../domain/wallet-commands.ts';
import { cancelAllAfter } from './commands/cancel-all-after.ts';
import { cancelAll, cancelOrders } from './commands/cancel-order.ts';
import { assertSequence, checkSigner } from './commands/check-signer.ts';
import { creditDeposit, loseDeposit, reachHeight, seeDeposit } from './commands/deposit.ts';
import { genesis } from './commands/genesis.ts';
import {
  acceptInvitation,
  createOwnKey,
  openDemoSession,
  openSession,
  revokeOwnKey,
  setPassword,
  signIn,
  signUp,
} from './commands/manage-access.ts';
import { createSubAccount, freezeAccount, renameAccount } from './commands/manage-sub-accounts.ts';
import {
  enrolFactor,
  removeAddress,
  removeFactor,
  saveAddress,
  setWhitelistMode,
} from './commands/manage-wallet.ts';
import { modifyOrders } from './commands/modify-order.ts';
import { operate } from './commands/operate.ts';
import { payPendingFunding } from './commands/pay-funding.ts';
import { placeOrders } from './commands/place-order.ts';
import { cancelByUser, noteWrong, requestWithdrawal } from './commands/request-withdrawal.ts';
import {
  confirmWithdrawal,
  failForGood,
  recordTransaction,
  takeWithdrawal,
} from './commands/send-withdrawal.ts';
import { setIndexPrices } from './commands/set-price.ts';
import { endSweep, recordSweep } from './commands/sweep.ts';
import { restart, tick } from './commands/tick.ts';
import { transfer } from './commands/transfer.ts';
import { drainPending } from './consequences.ts';
import { hasPending } from './memory/pending.ts';
import {
  firstSequenceOf,
  forgetExpired,
  isForgotten,
  REQUESTS_MAX,
  remember,
  type Signature,
  signatureOf,
} from './memory/requests.ts';
import { isNothingAtStake } from './risk/at-stake.ts';
import type { State } from './state.ts';
import { setFeeTiers } from './trading/fees.ts';

/**
 * The venue as a function: a stamped command goes in, events come out, and nothing else changes the state.
 * The same commands give the same events and the same state, bit for bit.
 *
 * The events are written to `out`, which the caller has cleared. First comes what is due whoever asks: sequence and
 * time, signatures and limits that have run out, the fee tiers of a new day. Of a refused command nothing else
 * happens: it leaves a `refused` event and is remembered if it was signed.
 */
export function apply(state: State, stamped: Stamped, out: ByteWriter): void {
  const { command, sequence, timeMs } = stamped;
  assertSequence(state, sequence, timeMs);
  state.sequence = sequence;
  state.timeMs = timeMs;
  forgetExpired(state.requests, timeMs);
  setFeeTiers(state, out);
  const refusal = admit(state, command) ?? perform(state, command, out);
  if (refusal !== undefined) {
    encodeEvent(out, { kind: 'refused', reason: refusal.rejected, message: refusal.message });
  }
  drainPending(state, out);
  out.digestInto(state.digest);
}

/** Whether work is pending: a Continue must come before any other command. */
export const hasPendingWork = (state: State): boolean => hasPending(state.pending);

/** Whether the venue needs neither time nor prices until the next request. */
export const isIdle = (state: State): boolean => isNothingAtStake(state) && !hasPendingWork(state);

export { faultOfGenesis } from './commands/genesis.ts';
export { nextStepAtMs } from './liquidation/liquidate.ts';

/** Checks the signer and that the request is new. Remembers the request, refused or not. */
function admit(state: State, command: Command): Refusal | undefined {
  switch (command.kind) {
    case 'place-orders':
    case 'cancel-orders':
    case 'modify-orders':
    case 'cancel-all':
    case 'cancel-all-after':
    case 'transfer':
    case 'request-withdrawal':
    case 'cancel-withdrawal':
    case 'note-wrong-code':
    case 'save-address':
    case 'remove-address':
    case 'set-whitelist-mode':
    case 'enrol-factor':
    case 'remove-factor':
    case 'set-password':
    case 'open-session':
    case 'create-own-key':
    case 'revoke-own-key':
    case 'create-sub-account':
    case 'rename-account':
    case 'freeze-account':
      return admitOnce(state, command.by) ?? checkSigner(state, command);
    default: {
      const signature = signatureOf(command);
      return signature === undefined ? undefined : admitOnce(state, signature);
    }
  }
}

function admitOnce(state: State, signature: Signature): Refusal | undefined {
  const { key, fingerprint, expiresAtMs } = signature;
  if (fingerprint === undefined || expiresAtMs === undefined) return undefined;
  if (firstSequenceOf(state.requests, signature) !== undefined) {
    return refuse('REPEATED_CLICK', 'the same signed request has taken effect already');
  }
  if (state.timeMs > expiresAtMs) {
    return refuse(
      'TIMESTAMP_OUT_OF_RANGE',
      `the request expired at ${expiresAtMs}, the engine's clock says ${state.timeMs}`,
    );
  }
  if (isForgotten(state.requests, signature)) {
    return refuse(
      'TIMESTAMP_OUT_OF_RANGE',
      'requests signed as long ago are no longer remembered; sign it anew',
    );
  }
  // Traders must not lock operators out; operators are few.
  if (state.requests.count >= REQUESTS_MAX && key !== 'operator') {
    return refuse('BUSY', `${REQUESTS_MAX} signed requests are remembered at most`);
  }
  remember(state.requests, signature, state.sequence);
  return undefined;
}

function perform(state: State, command: Command, out: ByteWriter): Refusal | undefined {
  // Nearly all commands are one of the first two, so they are tested first.
  switch (command.kind) {
    case 'place-orders':
      return placeOrders(state, command, out);
    case 'cancel-orders':
      return cancelOrders(state, command, out);
    case 'genesis':
      return genesis(state, command, out);
    case 'set-index-prices':
      return setIndexPrices(state, command, out);
    case 'transfer':
      return transfer(state, command, out);
    case 'cancel-all':
      return cancelAll(state, command, out);
    case 'cancel-all-after':
      return cancelAllAfter(state, command, out);
    case 'modify-orders':
      return modifyOrders(state, command, out);
    case 'tick':
      return tick(state, out);
    case 'restart':
      return restart(state);
    case 'continue':
      return payPendingFunding(state, out);
    default:
      return performOnWallet(state, command, out);
  }
}

function performOnWallet(
  state: State,
  command: WalletCommand | AccessCommand | OperatorCommand,
  out: ByteWriter,
): Refusal | undefined {
  switch (command.kind) {
    case 'request-withdrawal':
      return requestWithdrawal(state, command, out);
    case 'cancel-withdrawal':
      return cancelByUser(state, command, out);
    case 'note-wrong-code':
      return noteWrong(state, command, out);
    case 'save-address':
      return saveAddress(state, command, out);
    case 'remove-address':
      return removeAddress(state, command, out);
    case 'set-whitelist-mode':
      return setWhitelistMode(state, command, out);
    case 'enrol-factor':
      return enrolFactor(state, command, out);
    case 'remove-factor':
      return removeFactor(state, command, out);
    case 'take-withdrawal':
      return takeWithdrawal(state, command, out);
    case 'record-transaction':
      return recordTransaction(state, command, out);
    case 'confirm-withdrawal':
      return confirmWithdrawal(state, command, out);
    case 'fail-withdrawal':
      return failForGood(state, command, out);
    case 'record-sweep':
      return recordSweep(state, command, out);
    case 'end-sweep':
      return endSweep(state, command, out);
    case 'see-deposit':
      return seeDeposit(state, command, out);
    case 'credit-deposit':
      return creditDeposit(state, command, out);
    case 'lose-deposit':
      return loseDeposit(state, command, out);
    case 'reach-height':
      return reachHeight(state, command);
    default:
      return performOnAccess(state, command, out);
  }
}

function performOnAccess(
  state: State,
  command: AccessCommand | OperatorCommand,
  out: ByteWriter,
): Refusal | undefined {
  switch (command.kind) {
    case 'sign-up':
      return signUp(state, command, out);
    case 'accept-invitation':
      return acceptInvitation(state, command, out);
    case 'set-password':
      return setPassword(state, command, out);
    case 'sign-in':
      return signIn(state, command, out);
    case 'open-session':
      return openSession(state, command, out);
    case 'open-demo-session':
      return openDemoSession(state, command, out);
    case 'create-own-key':
      return createOwnKey(state, command, out);
    case 'revoke-own-key':
      return revokeOwnKey(state, command, out);
    case 'create-sub-account':
      return createSubAccount(state, command, out);
    case 'rename-account':
      return renameAccount(state, command, out);
    case 'freeze-account':
      return freezeAccount(state, command, out);
    default:
      return operate(state, command, out);
  }
}
