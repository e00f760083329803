import type { ByteWriter } from '../../bytes/pack.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { withdrawalIdText } from '../../domain/ids.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type {
  ConfirmWithdrawal,
  FailWithdrawal,
  GasSpent,
  RecordTransaction,
  TakeWithdrawal,
} from '../../domain/wallet-commands.ts';
import type { NetworkWallet, SignedVersion, Withdrawal } from '../memory/wallet.ts';
import type { State } from '../state.ts';
import {
  completeWithdrawal,
  emitWithdrawal,
  failWithdrawal,
  payGas,
} from '../wallet/withdrawals.ts';

/**
 * What the sender of a network reports, each step only after the previous one: taken with a nonce, signed,
 * then broadcast any number of times, finally confirmed or failed. The sender keeps no state: after a crash
 * it continues from what is recorded here.
 */

const RAW_BYTES_MAX = 65_536;
/** Every version is a fee bump of the one before. */
export const VERSIONS_MAX = 32;
const TX_ID = /^[\x21-\x7e]{1,128}$/;

/** PENDING or IN SWEEPING becomes PROCESSING with a nonce; without one it waits for a refill. */
export function takeWithdrawal(
  state: State,
  command: TakeWithdrawal,
  out: ByteWriter,
): Refusal | undefined {
  const withdrawal = state.wallet.withdrawals.get(command.id);
  if (withdrawal === undefined) return unknown(command.id);
  if (withdrawal.status !== 'PENDING' && withdrawal.status !== 'IN SWEEPING') {
    return outOfTurn(withdrawal, 'taken');
  }
  if (command.nonce === undefined) {
    if (withdrawal.status === 'IN SWEEPING') return undefined;
    withdrawal.status = 'IN SWEEPING';
    emitWithdrawal(out, withdrawal);
    return undefined;
  }
  const network = state.wallet.networks[withdrawal.network] as NetworkWallet;
  if (!Number.isSafeInteger(command.nonce) || command.nonce < network.nextNonce) {
    return refuse(
      'WITHDRAWAL_FAILED',
      `nonce ${command.nonce} was given away already; nearest ${network.nextNonce}`,
    );
  }
  network.nextNonce = command.nonce + 1;
  withdrawal.nonce = command.nonce;
  withdrawal.sinceHeight = network.height;
  withdrawal.status = 'PROCESSING';
  emitWithdrawal(out, withdrawal);
  return undefined;
}

export function recordTransaction(
  state: State,
  command: RecordTransaction,
  out: ByteWriter,
): Refusal | undefined {
  const { id, txId, nonce, rawBytes } = command;
  const withdrawal = state.wallet.withdrawals.get(id);
  if (withdrawal === undefined) return unknown(id);
  if (withdrawal.status !== 'PROCESSING') return outOfTurn(withdrawal, 'signed');
  if (nonce !== withdrawal.nonce) {
    return refuse('WITHDRAWAL_FAILED', `nonce ${nonce} is not its own, ${withdrawal.nonce}`);
  }
  const fault = faultOfVersion(command);
  if (fault !== undefined) return fault;
  // The same bytes are the same version: a sender that crashed after it was recorded reports it again.
  if (withdrawal.versions.some((version) => version.txId === txId)) return undefined;
  if (withdrawal.versions.length >= VERSIONS_MAX) return tooManyVersions();
  withdrawal.versions.push({ txId, rawBytes });
  withdrawal.txId = txId;
  encodeEvent(out, { kind: 'transaction-recorded', id, txId, nonce });
  emitWithdrawal(out, withdrawal);
  return undefined;
}

export function confirmWithdrawal(
  state: State,
  command: ConfirmWithdrawal,
  out: ByteWriter,
): Refusal | undefined {
  const withdrawal = state.wallet.withdrawals.get(command.id);
  if (withdrawal === undefined) return unknown(command.id);
  if (!withdrawal.versions.some(({ txId }) => txId === command.txId)) {
    return outOfTurn(withdrawal, `confirmed by ${command.txId}, which it was never signed as`);
  }
  const fault = faultOfGas(state, command.gas);
  if (fault !== undefined) return fault;
  if (command.gas !== undefined) payGas(state, withdrawal.network, command.gas, out);
  completeWithdrawal(state, withdrawal, command.txId, out);
  return undefined;
}

/** Only what was signed can fail for good: before that, the sender simply tries again. */
export function failForGood(
  state: State,
  command: FailWithdrawal,
  out: ByteWriter,
): Refusal | undefined {
  const withdrawal = state.wallet.withdrawals.get(command.id);
  if (withdrawal === undefined) return unknown(command.id);
  if (withdrawal.versions.length === 0) return outOfTurn(withdrawal, 'failed');
  const fault = faultOfGas(state, command.gas);
  if (fault !== undefined) return fault;
  if (command.gas !== undefined) payGas(state, withdrawal.network, command.gas, out);
  failWithdrawal(state, withdrawal, command.cause, out);
  return undefined;
}

export function faultOfVersion({ txId, rawBytes }: SignedVersion): Refusal | undefined {
  if (TX_ID.test(txId) && rawBytes.length > 0 && rawBytes.length <= RAW_BYTES_MAX) return undefined;
  return refuse(
    'PARAMETER_INVALID',
    `a transaction has an id and 1 to ${RAW_BYTES_MAX} bytes, not ${rawBytes.length}`,
  );
}

export const tooManyVersions = (): Refusal =>
  refuse('LIMIT_REACHED', `a payment has at most ${VERSIONS_MAX} versions`);

/** More gas than anybody could pay means that the node reports nonsense. */
const GAS_LIMIT = 2n ** 61n;

export function faultOfGas(state: State, gas: GasSpent | undefined): Refusal | undefined {
  if (gas === undefined) return undefined;
  if (state.assets[gas.asset] === undefined) return refuse('ASSET_UNKNOWN');
  if (gas.amount >= 0n && gas.amount < GAS_LIMIT) return undefined;
  return refuse('PARAMETER_INVALID', `gas of ${gas.amount} parts`);
}

const unknown = (id: number): Refusal =>
  refuse('RESULT_NOT_FOUND', `there is no unfinished withdrawal ${withdrawalIdText(id)}`);

const outOfTurn = ({ id, status }: Withdrawal, what: string): Refusal =>
  refuse(
    'WITHDRAWAL_FAILED',
    `withdrawal ${withdrawalIdText(id)} is ${status}, it cannot be ${what}`,
  );
