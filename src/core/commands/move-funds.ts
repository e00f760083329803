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
import { askToPayOut } from './pay-out.ts';

/**
 * Between purses of the venue, or between one of them and an account, within one asset. An account gives what is
 * available and not needed as margin, and receives only what two operators ask for. The deficit gives nothing and takes
 * no more than it owes; what the insurance fund receives repays the deficit first.
 */
export function moveFunds(state: State, command: MoveFunds, out: ByteWriter): Refusal | undefined {
  const asset = assetIndexOf(state, command.asset);
  if (asset === undefined) return refuse('ASSET_UNKNOWN', command.asset);
  const giver = holderOf(state, command.from);
  if (giver === undefined) return refuse('SUB_ACCOUNT_INVALID', holderText(command.from));
  const taker = holderOf(state, command.to);
  if (taker === undefined) return refuse('SUB_ACCOUNT_INVALID', holderText(command.to));
  const way = { giver, taker, asset, parts: command.amount };
  const refusal = check(state, command, way);
  if (refusal !== undefined) return refusal;
  if (typeof giver === 'string' && typeof taker === 'number') {
    const asked = askToPayOut(state, {
      actor: command.actor ?? '',
      from: giver,
      ...{ account: taker, asset, amount: command.amount },
    });
    if (asked !== 'confirmed') return asked;
  }
  const owed = -heldBy(state, 'deficit', asset);
  const repaid = taker === 'insurance' ? repayment(owed, command.amount) : 0n;
  pass(state, { ...way, taker: 'deficit', parts: repaid }, out);
  pass(state, { ...way, parts: command.amount - repaid }, out);
  return undefined;
}

type Holder = Fund | AccountIndex;
type Named = MoveFunds['from'];

const holderOf = (state: State, named: Named): Holder | undefined =>
  typeof named === 'string' ? named : findAccount(state, named);

type Way = {
  readonly giver: Holder;
  readonly taker: Holder;
  readonly asset: AssetIndex;
  readonly parts: bigint;
};

function check(
  state: State,
  { from, to, asset: code }: MoveFunds,
  { giver, taker, asset, parts }: Way,
): Refusal | undefined {
  const text = (count: bigint): string =>
    `${textFromParts(count, state.assets[asset]?.spec.scale ?? 0)} ${code}`;
  if (giver === taker) return refuse('SAME_ACCOUNT', holderText(to));
  if (typeof giver === 'number' && typeof taker === 'number') {
    return refuse('PARAMETER_INVALID', 'from one account to another, funds go by a transfer');
  }
  if (giver === 'deficit') return refuse('PARAMETER_INVALID', 'the deficit has nothing to give');
  if (parts <= 0n) return refuse('PARAMETER_INVALID', `${text(parts)} is not above 0`);
  const has = availableIn(state.ledger, purseOfHolder(state, giver, asset));
  if (parts > has) {
    return refuse(
      'AVAILABLE_TOO_LOW',
      `${text(parts)} asked, ${holderText(from)} has ${text(has)}`,
    );
  }
  const target = heldBy(state, to, asset);
  if (taker === 'deficit' && parts > -target) {
    return refuse('LIMIT_REACHED', `${text(parts)} asked, the deficit is ${text(-target)}`);
  }
  if (target + parts >= AMOUNT_LIMIT) {
    return refuse('LIMIT_REACHED', `${holderText(to)} would hold more than the ledger can count`);
  }
  if (typeof giver === 'string') return undefined;
  const risk = riskOfLeaving(state, giver, asset, amount(parts));
  return risk === undefined ? undefined : refuse('TRANSFER_RISK', risk);
}

function pass(state: State, { giver, taker, asset, parts }: Way, out: ByteWriter): void {
  if (parts === 0n) return;
  const [from, to] = [purseOfHolder(state, giver, asset), purseOfHolder(state, taker, asset)];
  move(state.ledger, from, to, amount(parts), state.timeMs);
  for (const holder of [giver, taker]) {
    if (typeof holder === 'number' && state.watch.place[holder] !== 0) {
      markForReview(state.pending, holder);
    }
  }
  encodeEvent(out, { kind: 'funds-moved', from: giver, to: taker, asset, amount: amount(parts) });
}

const purseOfHolder = (state: State, holder: Holder, asset: AssetIndex): Purse =>
  purseOf(state.ledger, typeof holder === 'string' ? holderIndex(holder) : holder, asset);

export const holderText = (named: Named): string =>
  typeof named === 'string' ? named : `${named.family}/${named.name}`;

/** What a purse of the venue holds, or what an account has available; nothing if there is no such account. */
export function heldBy(state: State, named: Named, asset: AssetIndex): Amount {
  const holder = holderOf(state, named);
  if (holder === undefined) return amount(0n);
  return availableIn(state.ledger, purseOfHolder(state, holder, asset));
}

const repayment = (owed: bigint, parts: bigint): bigint =>
  owed <= 0n ? 0n : owed < parts ? owed : parts;
