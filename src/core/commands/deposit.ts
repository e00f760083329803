import type { ByteWriter } from '../../bytes/pack.ts';
import { depositIdText } from '../../domain/ids.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { AMOUNT_LIMIT, amount } from '../../domain/units.ts';
import { type DepositHold, depositKey } from '../../domain/wallet.ts';
import type {
  CreditDeposit,
  DepositName,
  LoseDeposit,
  NoteRescan,
  ReachHeight,
  SeeDeposit,
} from '../../domain/wallet-commands.ts';
import type { Deposit, NetworkWallet, Way } from '../memory/wallet.ts';
import type { State } from '../state.ts';
import { bringIn, countVanished, emitDeposit, isCountable } from '../wallet/deposits.ts';

/**
 * What the watcher of a network reports: seen, then credited once at full confirmations, or lost to a
 * reorganisation. A transfer has one identity, so reading a block twice changes nothing.
 */

const TEXT = /^[\x21-\x7e]{1,128}$/;
/** Deposits this many blocks below the reported height are final, and no longer remembered. */
const FINAL_BLOCKS = 10_000;

export function seeDeposit(
  state: State,
  command: SeeDeposit,
  out: ByteWriter,
): Refusal | undefined {
  const network = state.wallet.networks[command.network];
  const asset = state.assets[command.asset];
  if (network === undefined || asset === undefined) return refuse('ASSET_UNKNOWN');
  const fault = faultOf(state, network, command);
  if (fault !== undefined) return fault;
  const key = depositKey(command.network, command.txId, command.output);
  const known = state.wallet.deposits.get(key);
  if (known !== undefined) return seeAgain(state, known, command, out);
  const terms = state.networks[command.network]?.assets.find(
    (one) => one.asset === asset.spec.code,
  );
  if (terms === undefined) return refuse('DEPOSIT_SUSPENDED', asset.spec.code);
  const { parts, dust } = creditedOf(
    command.chainAmount,
    terms.transactionPrecision,
    asset.spec.scale,
  );
  const id = state.wallet.nextDeposit++;
  const { account, address, memo, txId, output, height } = command;
  const deposit: Deposit = {
    id,
    account,
    asset: command.asset,
    network: command.network,
    address,
    ...(memo === undefined ? {} : { memo }),
    txId,
    output,
    height,
    quantity: amount(parts),
    dust,
    status: 'PENDING',
    isVanished: false,
    seenAtMs: state.timeMs,
    approvals: [],
  };
  state.wallet.deposits.set(key, deposit);
  state.wallet.depositKeyById.set(id, key);
  emitDeposit(out, deposit);
  return undefined;
}

function faultOf(state: State, network: NetworkWallet, command: SeeDeposit): Refusal | undefined {
  const { account, txId, output, address, memo, height, chainAmount } = command;
  if (state.accounts[account] === undefined || state.accounts[account] === null) {
    return refuse('SUB_ACCOUNT_INVALID');
  }
  const isText = TEXT.test(txId) && TEXT.test(address) && (memo === undefined || TEXT.test(memo));
  if (!isText || !Number.isSafeInteger(output) || output < 0 || !Number.isSafeInteger(height)) {
    return refuse('PARAMETER_INVALID', 'a deposit has a transaction, an output, a height');
  }
  if (chainAmount <= 0n) return refuse('PARAMETER_INVALID', `a deposit of ${chainAmount}`);
  if (height <= network.height - FINAL_BLOCKS) {
    return refuse(
      'PARAMETER_INVALID',
      `block ${height} is final: the network was read up to ${network.height}`,
    );
  }
  return undefined;
}

/**
 * A lost deposit is on the chain again, perhaps in another block; everything else about it is known already.
 */
function seeAgain(
  state: State,
  deposit: Deposit,
  { height }: SeeDeposit,
  out: ByteWriter,
): Refusal | undefined {
  // One that two operators have reversed can only be restored by them.
  if (deposit.creditedAtMs !== undefined && deposit.status === 'FAILED') {
    return refuse('REPEATED_CLICK', `deposit ${depositIdText(deposit.id)} was reversed`);
  }
  const { isVanished } = deposit;
  if (deposit.height === height && !isVanished && deposit.status !== 'FAILED') return undefined;
  deposit.height = height;
  deposit.isVanished = false;
  if (deposit.status === 'FAILED') deposit.status = 'PENDING';
  emitDeposit(out, deposit);
  if (isVanished && deposit.status === 'COMPLETED') countVanished(state, deposit, -1, out);
  return undefined;
}

/** The chain's amount at the asset's scale, rounded down, and what is left in the chain's units. */
function creditedOf(
  chainAmount: bigint,
  precision: number,
  scale: number,
): { readonly parts: bigint; readonly dust: bigint } {
  if (precision <= scale) {
    return { parts: chainAmount * 10n ** BigInt(scale - precision), dust: 0n };
  }
  const unit = 10n ** BigInt(precision - scale);
  return { parts: chainAmount / unit, dust: chainAmount % unit };
}

export function creditDeposit(
  state: State,
  command: CreditDeposit,
  out: ByteWriter,
): Refusal | undefined {
  const deposit = found(state, command);
  if (deposit === undefined) return unknown(command);
  if (deposit.status !== 'PENDING') {
    return refuse('REPEATED_CLICK', `deposit ${depositIdText(deposit.id)} is ${deposit.status}`);
  }
  const hold = holdOf(state, deposit);
  if (hold === undefined) {
    bringIn(state, deposit, 'account');
    deposit.status = 'COMPLETED';
    deposit.creditedAtMs = state.timeMs;
    emitDeposit(out, deposit, { credited: deposit.quantity });
    return undefined;
  }
  // What the ledger cannot represent is not in it: an operator handles it outside.
  if (hold !== 'too-large') bringIn(state, deposit, 'suspense');
  deposit.status = 'ON HOLD';
  deposit.hold = hold;
  emitDeposit(out, deposit);
  return undefined;
}

function holdOf(state: State, deposit: Deposit): DepositHold | undefined {
  const { network, asset, account, quantity } = deposit;
  if (quantity >= AMOUNT_LIMIT || !isCountable(state, deposit)) return 'too-large';
  const way = state.wallet.networks[network]?.ways.find((one) => one.asset === asset) as Way;
  if (!way.canDeposit) return 'deposits-closed';
  const code = state.assets[asset]?.spec.code;
  const terms = state.networks[network]?.assets.find((one) => one.asset === code);
  if (quantity < (terms?.minDeposit ?? 0n) || quantity === 0n) return 'below-minimum';
  const holder = state.accounts[account];
  const family =
    holder === null || holder === undefined ? undefined : state.families[holder.family];
  const isInactive =
    holder?.isActive !== true || family?.restrictions.includes('inactive') === true;
  return isInactive ? 'inactive' : undefined;
}

/**
 * Not credited yet: it fails until it is seen again. Credited: it stays, and the family's withdrawals wait.
 */
export function loseDeposit(
  state: State,
  command: LoseDeposit,
  out: ByteWriter,
): Refusal | undefined {
  const deposit = found(state, command);
  if (deposit === undefined) return unknown(command);
  if (deposit.status === 'FAILED' || deposit.isVanished) return undefined;
  if (deposit.status === 'PENDING') deposit.status = 'FAILED';
  else deposit.isVanished = true;
  emitDeposit(out, deposit);
  if (deposit.status === 'COMPLETED') countVanished(state, deposit, 1, out);
  return undefined;
}

/** Forgets final deposits: their network has been read far beyond them. */
export function reachHeight(state: State, command: ReachHeight): Refusal | undefined {
  const { wallet } = state;
  const network = wallet.networks[command.network];
  if (network === undefined) return refuse('PARAMETER_INVALID', 'network is unknown');
  if (!Number.isSafeInteger(command.height) || command.height <= network.height) return undefined;
  network.height = command.height;
  for (const [key, deposit] of wallet.deposits) {
    if (deposit.network !== command.network) continue;
    if (deposit.height > command.height - FINAL_BLOCKS) continue;
    if (deposit.status !== 'COMPLETED' || deposit.isVanished) continue;
    wallet.deposits.delete(key);
    wallet.depositKeyById.delete(deposit.id);
  }
  return undefined;
}

/**
 * Whether blocks may be read again from a height. Deeper transfers were reported and forgotten, so they would
 * be refused; and blocks that were never read must not be skipped.
 */
export function checkRescan(state: State, command: NoteRescan): Refusal | undefined {
  const network = state.networks.findIndex(({ name }) => name === command.network);
  const known = state.wallet.networks[network];
  if (known === undefined) return refuse('PARAMETER_INVALID', `there is no ${command.network}`);
  const from = Math.max(1, known.height - FINAL_BLOCKS + 1);
  const to = known.height + 1;
  const { height } = command;
  if (Number.isSafeInteger(height) && height >= from && height <= to) return undefined;
  const nearest = height < from ? from : to;
  return refuse(
    'PARAMETER_INVALID',
    `height ${height}: from ${from} to ${to}, at most ${FINAL_BLOCKS} blocks again; nearest ${nearest}`,
  );
}

const found = (state: State, { network, txId, output }: DepositName): Deposit | undefined =>
  state.wallet.deposits.get(depositKey(network, txId, output));

const unknown = ({ txId, output }: DepositName): Refusal =>
  refuse('RESULT_NOT_FOUND', `no deposit by output ${output} of ${txId} was seen`);
