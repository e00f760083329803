import type { ByteWriter } from '../../bytes/pack.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { EndSweep, RecordSweep } from '../../domain/wallet-commands.ts';
import { type NetworkWallet, type Sweep, sweepKey } from '../memory/wallet.ts';
import type { State } from '../state.ts';
import { payGas } from '../wallet/withdrawals.ts';
import { faultOfGas, faultOfVersion, tooManyVersions, VERSIONS_MAX } from './send-withdrawal.ts';

/**
 * The venue's payments to itself: a deposit address is emptied into the hot wallet. Only their gas changes
 * the ledger. Like withdrawals they are recorded before they are broadcast, so that after a crash nothing is
 * signed again and no nonce is used twice.
 */
export function recordSweep(
  state: State,
  command: RecordSweep,
  out: ByteWriter,
): Refusal | undefined {
  const { wallet } = state;
  const network = wallet.networks[command.network];
  if (network === undefined) return refuse('PARAMETER_INVALID', 'network is unknown');
  const fault = faultOf(state, command) ?? faultOfVersion(command);
  if (fault !== undefined) return fault;
  const { account, asset, step, chainAmount, nonce, txId, rawBytes } = command;
  const key = sweepKey(command.network, account, step);
  const known = wallet.sweeps.get(key);
  if (known === undefined) {
    const taken = step === 'top-up' ? takeNonce(network, nonce) : undefined;
    if (taken !== undefined) return taken;
    const versions = [{ txId, rawBytes }];
    const place = { network: command.network, account, asset, step, chainAmount, nonce };
    wallet.sweeps.set(key, { ...place, sinceHeight: network.height, versions });
  } else {
    if (!isOf(known, command)) {
      return refuse('REPEATED_CLICK', `a ${known.step} of this address is not finished`);
    }
    if (known.versions.some((version) => version.txId === txId)) return undefined;
    if (known.versions.length >= VERSIONS_MAX) return tooManyVersions();
    known.versions.push({ txId, rawBytes });
    known.chainAmount = chainAmount;
  }
  const { kind: _, rawBytes: __, ...record } = command;
  encodeEvent(out, { kind: 'sweep-recorded', ...record });
  return undefined;
}

const isOf = (sweep: Sweep, { asset, nonce }: RecordSweep): boolean =>
  sweep.asset === asset && sweep.nonce === nonce;

function faultOf(state: State, command: RecordSweep): Refusal | undefined {
  const { account, asset, chainAmount, nonce } = command;
  if (state.accounts[account] === undefined || state.accounts[account] === null) {
    return refuse('SUB_ACCOUNT_INVALID');
  }
  if (state.assets[asset] === undefined) return refuse('ASSET_UNKNOWN');
  if (chainAmount > 0n && Number.isSafeInteger(nonce) && nonce >= 0) return undefined;
  return refuse('PARAMETER_INVALID', `${chainAmount} with nonce ${nonce}`);
}

/** It comes from the hot wallet, like a withdrawal. */
function takeNonce(network: NetworkWallet, nonce: number): Refusal | undefined {
  if (nonce < network.nextNonce) {
    return refuse(
      'WITHDRAWAL_FAILED',
      `nonce ${nonce} was given away already; nearest ${network.nextNonce}`,
    );
  }
  network.nextNonce = nonce + 1;
  return undefined;
}

export function endSweep(state: State, command: EndSweep, out: ByteWriter): Refusal | undefined {
  const { network, account, step, txId, gas } = command;
  const key = sweepKey(network, account, step);
  if (!state.wallet.sweeps.has(key)) {
    return refuse('RESULT_NOT_FOUND', 'no sweep of this address is unfinished');
  }
  const fault = faultOfGas(state, gas);
  if (fault !== undefined) return fault;
  if (gas !== undefined) payGas(state, network, gas, out);
  state.wallet.sweeps.delete(key);
  encodeEvent(out, { kind: 'sweep-ended', network, account, step, txId });
  return undefined;
}
