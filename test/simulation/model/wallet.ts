import type { NetworkSpec } from '../../../src/domain/market.ts';
import type {
  CreditDeposit,
  FactorUse,
  GasSpent,
  RecordSweep,
  RequestWithdrawal,
  ResetFactor,
  SeeDeposit,
  WalletCommand,
} from '../../../src/domain/wallet-commands.ts';
import { RIGHT_ADDRESSES } from './addresses.ts';
import { line } from './event-lines.ts';
import { marginOf, mayLeave } from './margin.ts';
import { availableOf, give, venueHas } from './money.ts';
import { accountAt, assetAt, familyAt, type Model, must, nativeOf, type Refusal } from './state.ts';
import type { ModelDeposit, ModelFactor, ModelWithdrawal } from './wallet-state.ts';

/** Rules 8: deposits and withdrawals. Everything that ever happened is kept, and searched on demand. */

const SECOND_MS = 1_000;
const HOUR_MS = 3_600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;
const FINAL_BLOCKS = 10_000;

const OPEN = ['PENDING', 'ON HOLD', 'IN SWEEPING', 'PROCESSING'];
const isOpen = ({ status }: ModelWithdrawal): boolean => OPEN.includes(status);
const isUntaken = (one: ModelWithdrawal): boolean => isOpen(one) && one.status !== 'PROCESSING';

export function performOnWallet(model: Model, command: WalletCommand): Refusal {
  const { wallet } = model;
  switch (command.kind) {
    case 'request-withdrawal':
      return request(model, command);
    case 'cancel-withdrawal': {
      const found = openById(model, command.id);
      if (found?.account !== signerOf(model, command.by.key).account) return 'RESULT_NOT_FOUND';
      if (!isUntaken(found)) return 'WITHDRAWAL_FAILED';
      end(model, found, 'CANCELED');
      return undefined;
    }
    case 'note-wrong-code':
      return noteWrongCode(model, signerOf(model, command.by.key).family);
    case 'save-address':
      return saveAddress(model, command);
    case 'remove-address': {
      const { family } = signerOf(model, command.by.key);
      const place = placeOf(command);
      const left = wallet.addresses.filter((one) => one.family !== family || one.place !== place);
      if (left.length === wallet.addresses.length) return 'RESULT_NOT_FOUND';
      wallet.addresses = left;
      model.emitted.push(line('address-removed'));
      return undefined;
    }
    case 'set-whitelist-mode': {
      const { family } = signerOf(model, command.by.key);
      if (!command.isOn) {
        const refusal = checkFactor(model, family, command.used);
        if (refusal !== undefined) return refusal;
        useFactor(model, family, command.used);
        wallet.whitelistOn.delete(family);
      } else wallet.whitelistOn.add(family);
      model.emitted.push(line('whitelist-mode-set'));
      return undefined;
    }
    case 'enrol-factor': {
      const { family } = signerOf(model, command.by.key);
      if (factorsOf(model, family).some((one) => one.factor === command.factor)) {
        return 'ALREADY_EXISTS';
      }
      const refusal = checkFactor(model, family, command.used);
      if (refusal !== undefined) return refusal;
      useFactor(model, family, command.used);
      const { factor, step } = command;
      wallet.factors.push({ family, factor, steps: [step], endMs: Number.MAX_SAFE_INTEGER });
      model.emitted.push(line('factor-enrolled'));
      return undefined;
    }
    case 'remove-factor': {
      const { family } = signerOf(model, command.by.key);
      const found = factorsOf(model, family).find(
        (one) => one.factor === command.factor && one.endMs === Number.MAX_SAFE_INTEGER,
      );
      if (found === undefined) return 'SECOND_FACTOR_OFF';
      const refusal = checkFactor(model, family, command.used);
      if (refusal !== undefined) return refusal;
      useFactor(model, family, command.used);
      found.endMs = model.timeMs + waitOf(model, family);
      model.emitted.push(line('factor-removed', { atMs: found.endMs }));
      return undefined;
    }
    case 'set-withdrawal-limits':
      wallet.daily = command.daily;
      wallet.automatic = command.automatic;
      model.emitted.push(line('withdrawal-limits-set'));
      return undefined;
    case 'set-network-state': {
      const network = wallet.networks.findIndex(({ spec }) => spec.name === command.network);
      const asset = model.assets.findIndex(({ spec }) => spec.code === command.asset);
      if (!goesBy(model, network, asset)) return 'ASSET_UNKNOWN';
      const way = `${network}/${asset}`;
      const { deposit, withdraw } = wallet.closed;
      if (command.canDeposit) deposit.delete(way);
      else deposit.add(way);
      if (command.canWithdraw) withdraw.delete(way);
      else withdraw.add(way);
      model.emitted.push(line('network-state-set'));
      return undefined;
    }
    case 'set-withdrawal-fee': {
      if (!goesBy(model, command.network, command.asset)) return 'ASSET_UNKNOWN';
      const way = `${command.network}/${command.asset}`;
      const before = wallet.fees.get(way) ?? [];
      const last = before.at(-1);
      const isByOperator = command.actor !== undefined;
      if (wallet.fixedFees.has(way) && !isByOperator) return 'WITHDRAWAL_FEE_WRONG';
      if (command.fee === (last?.fee ?? 0n)) {
        if (isByOperator) wallet.fixedFees.add(way);
        return undefined;
      }
      if (last !== undefined && model.timeMs < last.atMs + 60 * SECOND_MS) return 'TOO_RAPID';
      if (isByOperator) wallet.fixedFees.add(way);
      wallet.fees.set(way, [...before, { fee: command.fee, atMs: model.timeMs }]);
      model.emitted.push(line('withdrawal-fee-set', { fee: command.fee }));
      return undefined;
    }
    case 'release-withdrawal-fee':
      if (!goesBy(model, command.network, command.asset)) return 'ASSET_UNKNOWN';
      return wallet.fixedFees.delete(`${command.network}/${command.asset}`)
        ? undefined
        : 'REPEATED_CLICK';
    case 'reset-factor':
      return resetFactor(model, command);
    case 'note-rescan': {
      const network = wallet.networks.find(({ spec }) => spec.name === command.network);
      if (network === undefined) return 'PARAMETER_INVALID';
      const isKnown = command.height <= network.height + 1;
      const isFinal = command.height <= network.height - FINAL_BLOCKS;
      return command.height >= 1 && isKnown && !isFinal ? undefined : 'PARAMETER_INVALID';
    }
    case 'see-deposit':
      return see(model, command);
    case 'credit-deposit':
      return credit(model, command);
    case 'lose-deposit': {
      const found = depositNamed(model, command);
      if (found === undefined) return 'RESULT_NOT_FOUND';
      if (found.status === 'FAILED' || found.isVanished) return undefined;
      if (found.status === 'PENDING') found.status = 'FAILED';
      else found.isVanished = true;
      emitDeposit(model, found, 0n);
      followBar(model, accountAt(model, found.account).family);
      return undefined;
    }
    case 'reach-height': {
      const network = wallet.networks[command.network];
      if (network === undefined) return 'PARAMETER_INVALID';
      if (command.height <= network.height) return undefined;
      network.height = command.height;
      // One that becomes final otherwise, because an operator completes it, is known until the next block.
      for (const one of wallet.deposits) {
        if (one.network === command.network && isFinal(model, one)) one.isForgotten = true;
      }
      return undefined;
    }
    case 'operate-withdrawal':
      return operate(model, command.id, command.act, command.actor);
    case 'operate-deposit':
      return operateDeposit(model, command.id, command.act, command.actor);
    case 'record-sweep':
      return recordSweep(model, command);
    case 'end-sweep':
      if (!wallet.sweeps.delete(`${command.network}/${command.account}/${command.step}`))
        return 'RESULT_NOT_FOUND';
      payGas(model, command.gas);
      model.emitted.push(line('sweep-ended', { txId: command.txId }));
      return undefined;
    default:
      return send(model, command);
  }
}

type Sending = Extract<
  WalletCommand,
  { kind: 'take-withdrawal' | 'record-transaction' | 'confirm-withdrawal' | 'fail-withdrawal' }
>;

/** Each step only after the previous one. */
function send(model: Model, command: Sending): Refusal {
  const found = openById(model, command.id);
  if (found === undefined) return 'RESULT_NOT_FOUND';
  switch (command.kind) {
    case 'take-withdrawal': {
      if (found.status !== 'PENDING' && found.status !== 'IN SWEEPING') return 'WITHDRAWAL_FAILED';
      if (command.nonce === undefined) {
        if (found.status === 'IN SWEEPING') return undefined;
        found.status = 'IN SWEEPING';
      } else {
        const network = must(model.wallet.networks[found.network]);
        if (command.nonce < network.nextNonce) return 'WITHDRAWAL_FAILED';
        network.nextNonce = command.nonce + 1;
        found.nonce = command.nonce;
        found.status = 'PROCESSING';
      }
      emitWithdrawal(model, found);
      return undefined;
    }
    case 'record-transaction':
      if (found.status !== 'PROCESSING' || command.nonce !== found.nonce)
        return 'WITHDRAWAL_FAILED';
      if (found.txIds.includes(command.txId)) return undefined;
      found.txIds.push(command.txId);
      model.emitted.push(line('transaction-recorded'));
      emitWithdrawal(model, found);
      return undefined;
    case 'confirm-withdrawal':
      if (!found.txIds.includes(command.txId)) return 'WITHDRAWAL_FAILED';
      payGas(model, command.gas);
      give(model, found.account, found.asset, -found.debited);
      addToPurse(model, 'network-costs', found.asset, found.fee);
      end(model, found, 'COMPLETED');
      return undefined;
    case 'fail-withdrawal':
      if (found.txIds.length === 0) return 'WITHDRAWAL_FAILED';
      payGas(model, command.gas);
      end(model, found, 'FAILED');
      return undefined;
  }
}

/** A payment to ourselves: recorded like a withdrawal, one of each step per address. */
function recordSweep(model: Model, command: RecordSweep): Refusal {
  const { sweeps, networks } = model.wallet;
  const { network, account, asset, step, nonce, txId } = command;
  const key = `${network}/${account}/${step}`;
  const known = sweeps.get(key);
  if (known === undefined) {
    const { nextNonce } = must(networks[network]);
    if (step === 'top-up' && nonce < nextNonce) return 'WITHDRAWAL_FAILED';
    if (step === 'top-up') must(networks[network]).nextNonce = nonce + 1;
    sweeps.set(key, { asset, nonce, txIds: [txId] });
  } else {
    if (asset !== known.asset || nonce !== known.nonce) return 'REPEATED_CLICK';
    if (known.txIds.includes(txId)) return undefined;
    known.txIds.push(txId);
  }
  model.emitted.push(line('sweep-recorded', { step, txId, nonce }));
  return undefined;
}

function payGas(model: Model, gas: GasSpent | undefined): void {
  if (gas === undefined || gas.amount === 0n) return;
  const has = venueHas(model, 'network-costs', gas.asset);
  const paid = has < gas.amount ? has : gas.amount;
  addToPurse(model, 'network-costs', gas.asset, -paid);
  addToPurse(model, 'deficit', gas.asset, paid - gas.amount);
  model.emitted.push(line('gas-paid', { amount: gas.amount }));
}

type Purse = Parameters<typeof venueHas>[1];
function addToPurse(model: Model, purse: Purse, asset: number, parts: bigint): void {
  model.purses.set(`${purse}/${asset}`, venueHas(model, purse, asset) + parts);
}

/** In the order of the rules: factor, whitelist, address, precision, minimum, limit, funds, margin. */
function request(model: Model, command: RequestWithdrawal): Refusal {
  const { wallet, timeMs } = model;
  const { asset, network, quantity } = command;
  const { account, family } = signerOf(model, command.by.key);
  if (model.assets[asset] === undefined) return 'ASSET_UNKNOWN';
  if (wallet.networks[network] === undefined) return 'PARAMETER_INVALID';
  const way = `${network}/${asset}`;
  if (!goesBy(model, network, asset) || wallet.closed.withdraw.has(way)) {
    return 'WITHDRAWAL_SUSPENDED';
  }
  if (timeMs < (wallet.waitUntilMs.get(family) ?? 0)) return 'SECOND_FACTOR_LOCKED';
  const factor = checkFactor(model, family, command.used);
  if (factor !== undefined) return factor;
  const place = placeOf(command);
  const saved = wallet.addresses.find((one) => one.family === family && one.place === place);
  if (wallet.whitelistOn.has(family) && saved?.whitelisted !== true) return 'WHITELIST_FIRST';
  const address = checkAddress(must(wallet.networks[network]).spec, command);
  if (address !== undefined) return address;
  const { code } = assetAt(model, asset).spec;
  const terms = must(must(wallet.networks[network]).spec.assets.find((one) => one.asset === code));
  if (quantity < terms.minWithdrawal || quantity <= 0n) return 'WITHDRAWAL_BELOW_MINIMUM';
  const fee = terms.isFeeFree === true ? 0n : feeNow(model, way);
  const burn = terms.burnFee ?? 0n;
  if (!command.externalFee && quantity <= fee + burn) return 'WITHDRAWAL_FEE_NOT_COVERED';
  const debited = command.externalFee ? quantity + fee + burn : quantity;
  const value = valueInNative(model, asset, debited);
  const spent = wallet.withdrawals
    .filter((one) => accountAt(model, one.account).family === family)
    .filter((one) => one.atMs > timeMs - DAY_MS)
    .filter(({ status }) => status !== 'CANCELED' && status !== 'FAILED')
    .reduce((sum, one) => sum + one.value, 0n);
  if (spent + value > wallet.daily) return 'WITHDRAWAL_LIMIT';
  if (availableOf(model, account, asset) < debited) return 'WITHDRAWAL_ABOVE_AVAILABLE';
  if (!mayLeave(marginOf(model, account, { without: { asset, parts: debited } }))) {
    return 'WITHDRAWAL_RISK';
  }
  useFactor(model, family, command.used);
  const known = `${family} ${place}`;
  const sinceMs = saved?.atMs ?? wallet.firstPaid.get(known) ?? timeMs;
  if (saved === undefined) wallet.firstPaid.set(known, sinceMs);
  const oldAtMs = sinceMs + waitOf(model, family);
  const holds = new Set<string>();
  if (oldAtMs > timeMs) holds.add('new-address');
  if (value > wallet.automatic) holds.add('above-limit');
  if (isBarred(model, family)) holds.add('restriction');
  const made: ModelWithdrawal = {
    id: wallet.withdrawals.length + 1,
    account,
    asset,
    network,
    quantity,
    fee,
    debited,
    value,
    atMs: timeMs,
    oldAtMs,
    status: holds.size === 0 ? 'PENDING' : 'ON HOLD',
    holds,
    releasedBy: new Set(),
    nonce: -1,
    txIds: [],
  };
  wallet.withdrawals.push(made);
  emitWithdrawal(model, made);
  return undefined;
}

function checkAddress(spec: NetworkSpec, { address, memo }: RequestWithdrawal): Refusal {
  if (!RIGHT_ADDRESSES[spec.addressFormat ?? 'evm'].includes(address)) {
    return 'WITHDRAWAL_ADDRESS_FORMAT';
  }
  // A tag has 32 bits.
  const isRight = spec.needsMemo ? memo === '7' : memo === undefined;
  return isRight ? undefined : 'MEMO_FORMAT';
}

/** The lower of the current fee and those quoted in the last minute. */
function feeNow(model: Model, way: string): bigint {
  const fees = model.wallet.fees.get(way) ?? [];
  const [before, now] = [fees.at(-2), fees.at(-1)];
  if (now === undefined) return 0n;
  const isRecent = model.timeMs < now.atMs + 60 * SECOND_MS;
  return isRecent && before !== undefined && before.fee < now.fee ? before.fee : now.fee;
}

function valueInNative(model: Model, asset: number, parts: bigint): bigint {
  if (asset === nativeOf(model)) return parts;
  const native = assetAt(model, nativeOf(model)).index;
  return native === 0n ? 0n : (parts * assetAt(model, asset).index) / native;
}

/** Time has passed: waiting periods of new addresses end. */
export function endWaits(model: Model): void {
  for (const one of model.wallet.withdrawals) {
    if (!isOpen(one) || !one.holds.has('new-address') || model.timeMs < one.oldAtMs) continue;
    dropHold(one, 'new-address');
    emitWithdrawal(model, one);
  }
}

export function cancelForLiquidation(model: Model, account: number): void {
  for (const one of model.wallet.withdrawals) {
    if (one.account === account && isUntaken(one)) end(model, one, 'CANCELED');
  }
}

/** Its restrictions, or the state of its deposits, has changed. */
export function followBar(model: Model, family: number): void {
  const barred = isBarred(model, family);
  for (const one of model.wallet.withdrawals) {
    if (!isUntaken(one) || accountAt(model, one.account).family !== family) continue;
    if (barred === one.holds.has('restriction')) continue;
    if (barred) {
      one.holds.add('restriction');
      one.status = 'ON HOLD';
    } else dropHold(one, 'restriction');
    emitWithdrawal(model, one);
  }
}

const isBarred = (model: Model, family: number): boolean =>
  familyAt(model, family).restrictions.includes('no-withdraw') ||
  model.wallet.deposits.some(
    ({ account, isVanished, status }) =>
      isVanished && status === 'COMPLETED' && accountAt(model, account).family === family,
  );

function dropHold(one: ModelWithdrawal, hold: string): void {
  if (one.holds.delete(hold) && one.holds.size === 0) one.status = 'PENDING';
}

function end(model: Model, one: ModelWithdrawal, status: string): void {
  one.status = status;
  if (status === 'CANCELED') one.holds.clear();
  emitWithdrawal(model, one);
}

function operate(model: Model, id: number, act: string, actor: string): Refusal {
  const found = openById(model, id);
  if (found === undefined) return 'RESULT_NOT_FOUND';
  if (!isUntaken(found)) return 'WITHDRAWAL_FAILED';
  if (act === 'cancel') {
    end(model, found, 'CANCELED');
    return undefined;
  }
  if (act === 'hold') {
    found.holds.add('review');
    found.status = 'ON HOLD';
  } else {
    if (found.status !== 'ON HOLD') return 'WITHDRAWAL_FAILED';
    if (found.holds.has('above-limit') && found.releasedBy.has(actor)) return 'REPEATED_CLICK';
    dropHold(found, 'review');
    if (found.holds.has('above-limit')) {
      found.releasedBy.add(actor);
      if (found.releasedBy.size >= 2) dropHold(found, 'above-limit');
    }
  }
  emitWithdrawal(model, found);
  return undefined;
}

function see(model: Model, command: SeeDeposit): Refusal {
  const { network, asset, account, height, chainAmount } = command;
  const found = model.wallet.networks[network];
  if (found === undefined || model.assets[asset] === undefined) return 'ASSET_UNKNOWN';
  if (!model.accounts.has(account)) return 'SUB_ACCOUNT_INVALID';
  if (chainAmount <= 0n || height <= found.height - FINAL_BLOCKS) return 'PARAMETER_INVALID';
  const known = depositNamed(model, command);
  if (known !== undefined) return seeAgain(model, known, height);
  const { code, scale } = assetAt(model, asset).spec;
  const terms = found.spec.assets.find((one) => one.asset === code);
  if (terms === undefined) return 'DEPOSIT_SUSPENDED';
  const finer = terms.transactionPrecision - scale;
  const made: ModelDeposit = {
    id: model.wallet.deposits.length + 1,
    name: nameOf(command),
    account,
    asset,
    network,
    quantity: finer > 0 ? chainAmount / 10n ** BigInt(finer) : chainAmount * 10n ** BigInt(-finer),
    height,
    status: 'PENDING',
    hold: undefined,
    isVanished: false,
    wasReversed: false,
    isForgotten: false,
    reversedBy: new Set(),
  };
  model.wallet.deposits.push(made);
  emitDeposit(model, made, 0n);
  return undefined;
}

function seeAgain(model: Model, known: ModelDeposit, height: number): Refusal {
  if (known.wasReversed) return 'REPEATED_CLICK';
  const isNews = known.height !== height || known.isVanished || known.status === 'FAILED';
  if (!isNews) return undefined;
  known.height = height;
  known.isVanished = false;
  if (known.status === 'FAILED') known.status = 'PENDING';
  emitDeposit(model, known, 0n);
  followBar(model, accountAt(model, known.account).family);
  return undefined;
}

function credit(model: Model, command: CreditDeposit): Refusal {
  const found = depositNamed(model, command);
  if (found === undefined) return 'RESULT_NOT_FOUND';
  if (found.status !== 'PENDING') return 'REPEATED_CLICK';
  const { asset, account, quantity, network } = found;
  const { code } = assetAt(model, asset).spec;
  const terms = must(model.wallet.networks[network]).spec.assets.find((one) => one.asset === code);
  const holder = accountAt(model, account);
  const isInactive =
    !holder.isActive || familyAt(model, holder.family).restrictions.includes('inactive');
  if (model.wallet.closed.deposit.has(`${network}/${asset}`)) found.hold = 'deposits-closed';
  else if (quantity < must(terms).minDeposit || quantity === 0n) found.hold = 'below-minimum';
  else if (isInactive) found.hold = 'inactive';
  if (found.hold === undefined) {
    found.status = 'COMPLETED';
    give(model, account, asset, quantity);
    emitDeposit(model, found, quantity);
    return undefined;
  }
  found.status = 'ON HOLD';
  addToPurse(model, 'suspense', asset, quantity);
  emitDeposit(model, found, 0n);
  return undefined;
}

function operateDeposit(model: Model, id: number, act: string, actor: string): Refusal {
  const found = model.wallet.deposits.find((one) => one.id === id && !one.isForgotten);
  if (found === undefined) return 'RESULT_NOT_FOUND';
  const { account, asset, quantity } = found;
  if (act === 'complete') {
    if (found.status !== 'ON HOLD') return 'REPEATED_CLICK';
    addToPurse(model, 'suspense', asset, -quantity);
    give(model, account, asset, quantity);
    found.status = 'COMPLETED';
    emitDeposit(model, found, quantity);
    if (found.isVanished) followBar(model, accountAt(model, account).family);
    return undefined;
  }
  if (found.status !== 'COMPLETED' || !found.isVanished) return 'WITHDRAWAL_FAILED';
  if (found.reversedBy.has(actor)) return 'REPEATED_CLICK';
  found.reversedBy.add(actor);
  if (found.reversedBy.size < 2) {
    emitDeposit(model, found, 0n);
    return undefined;
  }
  const available = availableOf(model, account, asset);
  const has = available > 0n ? available : 0n;
  const paid = has < quantity ? has : quantity;
  give(model, account, asset, -paid);
  addToPurse(model, 'deficit', asset, paid - quantity);
  found.status = 'FAILED';
  found.isVanished = false;
  found.wasReversed = true;
  emitDeposit(model, found, -paid);
  followBar(model, accountAt(model, account).family);
  return undefined;
}

/** Credited long ago and far below the height that has been read: it can no longer change. */
const isFinal = (model: Model, { network, height, status, isVanished }: ModelDeposit): boolean =>
  status === 'COMPLETED' &&
  !isVanished &&
  height <= must(model.wallet.networks[network]).height - FINAL_BLOCKS;

function noteWrongCode(model: Model, family: number): Refusal {
  const { wallet, timeMs } = model;
  wallet.wrongCodes.push({ family, atMs: timeMs });
  const lockedMs = wallet.lockedUntilMs.get(family) ?? 0;
  const recent = wallet.wrongCodes.filter(
    (one) => one.family === family && one.atMs > timeMs - HOUR_MS && one.atMs > lockedMs - DAY_MS,
  );
  if (recent.length >= 5) wallet.lockedUntilMs.set(family, timeMs + DAY_MS);
  model.emitted.push(line('wrong-code-noted'));
  return undefined;
}

/** Two operators within a day; a factor that its user has used meanwhile was not lost. */
function resetFactor(model: Model, command: ResetFactor): Refusal {
  const { wallet, timeMs } = model;
  const family = model.families.findIndex(({ name }) => name === command.family);
  if (family < 0) return 'SUB_ACCOUNT_INVALID';
  const found = factorsOf(model, family).find(({ factor }) => factor === command.factor);
  if (found === undefined) return 'SECOND_FACTOR_OFF';
  const { unwanted } = found;
  if (unwanted === undefined || timeMs >= unwanted.atMs + DAY_MS) {
    found.unwanted = { by: command.actor, atMs: timeMs };
    return undefined;
  }
  if (unwanted.by === command.actor) return 'REPEATED_CLICK';
  found.endMs = timeMs;
  const waitMs = Math.max(wallet.waitUntilMs.get(family) ?? 0, timeMs + waitOf(model, family));
  wallet.waitUntilMs.set(family, waitMs);
  model.emitted.push(line('factor-removed', { atMs: timeMs }));
  return undefined;
}

/** A wrong code a moment ago, or a lock; then the code itself. */
export function checkFactor(model: Model, family: number, used: FactorUse | undefined): Refusal {
  const { wallet, timeMs } = model;
  if (timeMs < (wallet.lockedUntilMs.get(family) ?? 0)) return 'SECOND_FACTOR_LOCKED';
  const isBlocked = wallet.wrongCodes.some(
    (one) => one.family === family && timeMs < one.atMs + 10 * SECOND_MS,
  );
  if (isBlocked) return 'SECOND_FACTOR_TOO_SOON';
  return checkUse(model, family, used);
}

/** A code if a factor is enrolled, and no code twice. */
export function checkUse(model: Model, family: number, used: FactorUse | undefined): Refusal {
  const required = factorsOf(model, family);
  if (used === undefined) return required.length === 0 ? undefined : 'PARAMETER_MISSING';
  const factor = required.find((one) => one.factor === used.factor);
  if (factor === undefined) return 'SECOND_FACTOR_OFF';
  return isNewStep(factor, used.step) ? undefined : 'SECOND_FACTOR_WRONG';
}

/** Counters only go forward. A code of time works once, and not when it is three steps old. */
function isNewStep({ factor, steps }: ModelFactor, step: number): boolean {
  const newest = Math.max(...steps);
  return step > newest || (factor !== 'YUBIKEY' && step >= newest - 2 && !steps.includes(step));
}

const factorsOf = (model: Model, family: number) =>
  model.wallet.factors.filter((one) => one.family === family && model.timeMs < one.endMs);

export function useFactor(model: Model, family: number, used: FactorUse | undefined): void {
  const factor = factorsOf(model, family).find((one) => one.factor === used?.factor);
  if (factor === undefined || used === undefined) return;
  factor.steps.push(used.step);
  factor.unwanted = undefined;
}

function saveAddress(
  model: Model,
  command: Extract<WalletCommand, { kind: 'save-address' }>,
): Refusal {
  const { wallet } = model;
  const { family } = signerOf(model, command.by.key);
  const network = wallet.networks[command.network];
  if (network === undefined || model.assets[command.asset] === undefined) return 'ASSET_UNKNOWN';
  const refusal =
    checkAddress(network.spec, command as never) ?? checkFactor(model, family, command.used);
  if (refusal !== undefined) return refusal;
  useFactor(model, family, command.used);
  const place = placeOf(command);
  const known = wallet.addresses.find((one) => one.family === family && one.place === place);
  if (known === undefined) {
    const { whitelisted = false } = command;
    wallet.addresses.push({ family, place, whitelisted, atMs: model.timeMs });
  } else known.whitelisted = command.whitelisted ?? known.whitelisted;
  model.emitted.push(line('address-saved'));
  return undefined;
}

const placeOf = (one: {
  readonly asset: number;
  readonly network: number;
  readonly address: string;
  readonly memo?: string;
}): string => `${one.asset} ${one.network} ${one.address} ${one.memo}`;

const waitOf = (model: Model, family: number): number =>
  model.wallet.hasty.has(family) ? 0 : DAY_MS;

const goesBy = (model: Model, network: number, asset: number): boolean =>
  model.wallet.networks[network]?.spec.assets.some(
    (one) => one.asset === model.assets[asset]?.spec.code,
  ) ?? false;

function signerOf(model: Model, key: number): { account: number; family: number } {
  const { account } = must(model.keys[key]);
  return { account, family: accountAt(model, account).family };
}

const openById = (model: Model, id: number): ModelWithdrawal | undefined =>
  model.wallet.withdrawals.find((one) => one.id === id && isOpen(one));

type Named = { readonly network: number; readonly txId: string; readonly output: number };
const nameOf = ({ network, txId, output }: Named): string => `${network} ${txId} ${output}`;
const depositNamed = (model: Model, named: Named): ModelDeposit | undefined =>
  model.wallet.deposits.find((one) => one.name === nameOf(named) && !one.isForgotten);

function emitWithdrawal(model: Model, one: ModelWithdrawal): void {
  const { id, account, asset, quantity, fee, debited, status } = one;
  const holds = [...one.holds].sort().join('+');
  model.emitted.push(
    line('withdrawal-changed', { id, account, asset, quantity, fee, debited, status, holds }),
  );
}

function emitDeposit(model: Model, one: ModelDeposit, credited: bigint): void {
  const { id, account, asset, quantity, status, hold, isVanished } = one;
  model.emitted.push(
    line('deposit-changed', { id, account, asset, quantity, credited, status, hold, isVanished }),
  );
}
