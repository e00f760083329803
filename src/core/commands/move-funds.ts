import type { ByteWriter } from '../../bytes/pack.ts';
import type { MoveFunds } from '../../domain/commands.ts';
import { textFromParts } from '../../domain/decimal.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { Fund } from '../../domain/terms.ts';
import { AMOUNT_LIMIT, type Amount, type AssetIndex, amount } from '../../domain/units.ts';
import { availableIn, move, purseOf } from '../memory/ledger.ts';
import { assetIndexOf, holderIndex, type State } from '../state.ts';

/**
 * Between the venue's own purses, within one asset. The deficit gives nothing and takes no more than it owes; what
 * the insurance fund receives repays the deficit first.
 */
export function moveFunds(state: State, command: MoveFunds, out: ByteWriter): Refusal | undefined {
  const asset = assetIndexOf(state, command.asset);
  if (asset === undefined) return refuse('ASSET_UNKNOWN', command.asset);
  const refusal = check(state, command, asset);
  if (refusal !== undefined) return refusal;
  const { from, to } = command;
  const owed = -heldBy(state, 'deficit', asset);
  const repaid = to === 'insurance' ? repayment(owed, command.amount) : 0n;
  pass(state, { from, to: 'deficit', asset, parts: repaid }, out);
  pass(state, { from, to, asset, parts: command.amount - repaid }, out);
  return undefined;
}

function check(
  state: State,
  { from, to, amount: parts, asset: code }: MoveFunds,
  asset: AssetIndex,
): Refusal | undefined {
  const text = (count: bigint): string =>
    `${textFromParts(count, state.assets[asset]?.spec.scale ?? 0)} ${code}`;
  if (from === to) return refuse('SAME_ACCOUNT', from);
  if (from === 'deficit') return refuse('PARAMETER_INVALID', 'the deficit has nothing to give');
  if (parts <= 0n) return refuse('PARAMETER_INVALID', `${text(parts)} is not above 0`);
  const has = heldBy(state, from, asset);
  if (parts > has) {
    return refuse('AVAILABLE_TOO_LOW', `${text(parts)} asked, ${from} has ${text(has)}`);
  }
  const target = heldBy(state, to, asset);
  if (to === 'deficit' && parts > -target) {
    return refuse('LIMIT_REACHED', `${text(parts)} asked, the deficit is ${text(-target)}`);
  }
  if (target + parts >= AMOUNT_LIMIT) {
    return refuse('LIMIT_REACHED', `${to} would hold more than the ledger can count`);
  }
  return undefined;
}

type Pass = {
  readonly from: Fund;
  readonly to: Fund;
  readonly asset: AssetIndex;
  readonly parts: bigint;
};

function pass(state: State, { from, to, asset, parts }: Pass, out: ByteWriter): void {
  if (parts === 0n) return;
  const { ledger } = state;
  const source = purseOf(ledger, holderIndex(from), asset);
  const target = purseOf(ledger, holderIndex(to), asset);
  move(ledger, source, target, amount(parts), state.timeMs);
  encodeEvent(out, { kind: 'funds-moved', from, to, asset, amount: amount(parts) });
}

export const heldBy = (state: State, fund: Fund, asset: AssetIndex): Amount =>
  availableIn(state.ledger, purseOf(state.ledger, holderIndex(fund), asset));

const repayment = (owed: bigint, parts: bigint): bigint =>
  owed <= 0n ? 0n : owed < parts ? owed : parts;
