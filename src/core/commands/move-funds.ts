import type { ByteWriter } from '../../bytes/pack.ts';
import type { MoveFunds } from '../../domain/commands.ts';
import { textFromParts } from '../../domain/decimal.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { Fund } from '../../domain/terms.ts';
import {
  type AccountIndex,
  AMOUNT_LIMIT,
  type Amount,
  type AssetIndex,
  amount,
  type Purse,
} from '../../domain/units.ts';
import { availableIn, move, purseOf } from '../memory/ledger.ts';
import { markForReview } from '../memory/pending.ts';
import { riskOfLeaving } from '../risk/leaving.ts';
import { assetIndexOf, holderIndex, type State } from '../state.ts';
import { findAccount } from './manage-accounts.ts';

/**
 * Into a purse of the venue, within one asset: from another, or from an account, which gives what is available and
 * not needed as margin. The deficit gives nothing and takes no more than it owes; what the insurance fund receives
 * repays the deficit first.
 */
export function moveFunds(state: State, command: MoveFunds, out: ByteWriter): Refusal | undefined {
  const asset = assetIndexOf(state, command.asset);
  if (asset === undefined) return refuse('ASSET_UNKNOWN', command.asset);
  const giver = giverOf(state, command.from);
  if (giver === undefined) return refuse('SUB_ACCOUNT_INVALID', giverText(command.from));
  const refusal = check(state, { command, giver, asset });
  if (refusal !== undefined) return refusal;
  const { to } = command;
  const owed = -heldBy(state, 'deficit', asset);
  const repaid = to === 'insurance' ? repayment(owed, command.amount) : 0n;
  pass(state, { giver, to: 'deficit', asset, parts: repaid }, out);
  pass(state, { giver, to, asset, parts: command.amount - repaid }, out);
  return undefined;
}

type Giver = Fund | AccountIndex;

const giverOf = (state: State, from: MoveFunds['from']): Giver | undefined =>
  typeof from === 'string' ? from : findAccount(state, from);

type Asked = {
  readonly command: MoveFunds;
  readonly giver: Giver;
  readonly asset: AssetIndex;
};

function check(state: State, { command, giver, asset }: Asked): Refusal | undefined {
  const { from, to, amount: parts, asset: code } = command;
  const text = (count: bigint): string =>
    `${textFromParts(count, state.assets[asset]?.spec.scale ?? 0)} ${code}`;
  if (giver === to) return refuse('SAME_ACCOUNT', to);
  if (giver === 'deficit') return refuse('PARAMETER_INVALID', 'the deficit has nothing to give');
  if (parts <= 0n) return refuse('PARAMETER_INVALID', `${text(parts)} is not above 0`);
  const has = availableIn(state.ledger, purseOfGiver(state, giver, asset));
  if (parts > has) {
    return refuse('AVAILABLE_TOO_LOW', `${text(parts)} asked, ${giverText(from)} has ${text(has)}`);
  }
  const target = heldBy(state, to, asset);
  if (to === 'deficit' && parts > -target) {
    return refuse('LIMIT_REACHED', `${text(parts)} asked, the deficit is ${text(-target)}`);
  }
  if (target + parts >= AMOUNT_LIMIT) {
    return refuse('LIMIT_REACHED', `${to} would hold more than the ledger can count`);
  }
  if (typeof giver === 'string') return undefined;
  const risk = riskOfLeaving(state, giver, asset, parts);
  return risk === undefined ? undefined : refuse('TRANSFER_RISK', risk);
}

type Pass = {
  readonly giver: Giver;
  readonly to: Fund;
  readonly asset: AssetIndex;
  readonly parts: bigint;
};

function pass(state: State, { giver, to, asset, parts }: Pass, out: ByteWriter): void {
  if (parts === 0n) return;
  const { ledger } = state;
  const target = purseOf(ledger, holderIndex(to), asset);
  move(ledger, purseOfGiver(state, giver, asset), target, amount(parts), state.timeMs);
  if (typeof giver === 'number' && state.watch.place[giver] !== 0) {
    markForReview(state.pending, giver);
  }
  encodeEvent(out, { kind: 'funds-moved', from: giver, to, asset, amount: amount(parts) });
}

const purseOfGiver = (state: State, giver: Giver, asset: AssetIndex): Purse =>
  purseOf(state.ledger, typeof giver === 'string' ? holderIndex(giver) : giver, asset);

export const giverText = (from: MoveFunds['from']): string =>
  typeof from === 'string' ? from : `${from.family}/${from.name}`;

/** What a purse of the venue holds, or what an account has available; nothing if there is no such account. */
export function heldBy(state: State, from: MoveFunds['from'], asset: AssetIndex): Amount {
  const giver = giverOf(state, from);
  if (giver === undefined) return amount(0n);
  return availableIn(state.ledger, purseOfGiver(state, giver, asset));
}

const repayment = (owed: bigint, parts: bigint): bigint =>
  owed <= 0n ? 0n : owed < parts ? owed : parts;
