import type { ByteWriter } from '../../bytes/pack.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { AMOUNT_LIMIT } from '../../domain/units.ts';
import type {
  EnrolFactor,
  RemoveAddress,
  RemoveFactor,
  SaveAddress,
  SetWhitelistMode,
} from '../../domain/wallet-commands.ts';
import { destinationKey, NEVER_MS } from '../memory/wallet.ts';
import type { State } from '../state.ts';
import { checkDestination } from '../wallet/addresses.ts';
import { checkCode, useFactor } from '../wallet/factors.ts';
import { signerOf } from './request-withdrawal.ts';

/** What users configure for their withdrawals: addresses, whitelist mode, second factors. */

const ADDRESSES_MAX = 200;
const LABEL = /^[^\p{C}]{0,40}$/u;

export function saveAddress(
  state: State,
  command: SaveAddress,
  out: ByteWriter,
): Refusal | undefined {
  const { familyIndex, familyWallet } = signerOf(state, command.by.key);
  const { asset, network, address, memo } = command;
  const spec = state.networks[network];
  if (spec === undefined || state.assets[asset] === undefined) return refuse('ASSET_UNKNOWN');
  if (!LABEL.test(command.label ?? ''))
    return refuse('PARAMETER_INVALID', 'a label has at most 40 characters');
  const refusal =
    checkDestination(spec, address, memo) ?? checkCode(familyWallet, command.used, state.timeMs);
  if (refusal !== undefined) return refusal;
  const key = destinationKey(asset, command);
  const at = familyWallet.addresses.findIndex((one) => destinationKey(one.asset, one) === key);
  if (at < 0 && familyWallet.addresses.length >= ADDRESSES_MAX) {
    return refuse('LIMIT_REACHED', `at most ${ADDRESSES_MAX} addresses are saved`);
  }
  useFactor(familyWallet, command.used);
  const known = familyWallet.addresses[at];
  // A new label or mark does not change when the address was saved, nor the other of the two.
  const savedAtMs = known?.savedAtMs ?? state.timeMs;
  const label = command.label ?? known?.label ?? '';
  const whitelisted = command.whitelisted ?? known?.whitelisted ?? false;
  const destination = { network, address, ...(memo === undefined ? {} : { memo }) };
  const saved = { ...destination, asset, label, whitelisted, savedAtMs };
  if (at < 0) familyWallet.addresses.push(saved);
  else familyWallet.addresses[at] = saved;
  encodeEvent(out, {
    kind: 'address-saved',
    family: familyIndex,
    ...destination,
    asset,
    label,
    whitelisted,
  });
  return undefined;
}

export function removeAddress(
  state: State,
  command: RemoveAddress,
  out: ByteWriter,
): Refusal | undefined {
  const { familyIndex, familyWallet } = signerOf(state, command.by.key);
  const key = destinationKey(command.asset, command);
  const at = familyWallet.addresses.findIndex((one) => destinationKey(one.asset, one) === key);
  if (at < 0) return refuse('RESULT_NOT_FOUND', 'the address is not saved');
  familyWallet.addresses.splice(at, 1);
  const { asset, network, address, memo } = command;
  encodeEvent(out, {
    kind: 'address-removed',
    family: familyIndex,
    asset,
    network,
    address,
    ...(memo === undefined ? {} : { memo }),
  });
  return undefined;
}

/** Turning it on protects; turning it off needs what a withdrawal needs. */
export function setWhitelistMode(
  state: State,
  command: SetWhitelistMode,
  out: ByteWriter,
): Refusal | undefined {
  const { familyIndex, familyWallet } = signerOf(state, command.by.key);
  if (!command.isOn) {
    const refusal = checkCode(familyWallet, command.used, state.timeMs);
    if (refusal !== undefined) return refusal;
    useFactor(familyWallet, command.used);
  }
  familyWallet.isWhitelistOn = command.isOn;
  encodeEvent(out, { kind: 'whitelist-mode-set', family: familyIndex, isOn: command.isOn });
  return undefined;
}

const SEALED_BYTES_MAX = 512;

export function enrolFactor(
  state: State,
  command: EnrolFactor,
  out: ByteWriter,
): Refusal | undefined {
  const { familyIndex, familyWallet } = signerOf(state, command.by.key);
  const { factor, sealedSecret, step } = command;
  const { factors } = familyWallet;
  const isRequired = (one: { removedAtMs: number }): boolean => state.timeMs < one.removedAtMs;
  if (factors.some((one) => one.factor === factor && isRequired(one))) {
    return refuse('ALREADY_EXISTS', `${factor} is enrolled`);
  }
  if (sealedSecret.length > SEALED_BYTES_MAX || step < 0 || BigInt(step) >= AMOUNT_LIMIT) {
    return refuse('PARAMETER_INVALID', 'a factor has a secret and a step');
  }
  const refusal = checkCode(familyWallet, command.used, state.timeMs);
  if (refusal !== undefined) return refusal;
  useFactor(familyWallet, command.used);
  const left = factors.filter(isRequired);
  factors.splice(0, factors.length, ...left, {
    factor,
    sealedSecret,
    lastStep: step,
    removedAtMs: NEVER_MS,
    ...{ resetBy: '', resetAtMs: 0 },
  });
  encodeEvent(out, { kind: 'factor-enrolled', family: familyIndex, factor });
  return undefined;
}

export function removeFactor(
  state: State,
  command: RemoveFactor,
  out: ByteWriter,
): Refusal | undefined {
  const { familyIndex, familyWallet } = signerOf(state, command.by.key);
  const found = familyWallet.factors.find(
    (one) => one.factor === command.factor && one.removedAtMs === NEVER_MS,
  );
  if (found === undefined) return refuse('SECOND_FACTOR_OFF', command.factor);
  const refusal = checkCode(familyWallet, command.used, state.timeMs);
  if (refusal !== undefined) return refusal;
  useFactor(familyWallet, command.used);
  found.removedAtMs = state.timeMs + familyWallet.delayMs;
  encodeEvent(out, {
    kind: 'factor-removed',
    family: familyIndex,
    factor: command.factor,
    atMs: found.removedAtMs,
  });
  return undefined;
}
