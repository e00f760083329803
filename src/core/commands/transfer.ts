import type { ByteWriter } from '../../bytes/pack.ts';
import { assert } from '../../domain/assert.ts';
import type { Transfer } from '../../domain/commands.ts';
import { textFromParts } from '../../domain/decimal.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import type { FamilyIndex, Purse } from '../../domain/units.ts';
import { availableIn, move, purseOf } from '../memory/ledger.ts';
import { markForReview } from '../memory/pending.ts';
import { riskOfLeaving } from '../risk/leaving.ts';
import type { State } from '../state.ts';
import { accountOfKey } from './check-signer.ts';

type Checked = { readonly family: FamilyIndex; readonly from: Purse; readonly to: Purse };

/** Moves what is available from one account of a family to another. Validates, then applies. */
export function transfer(state: State, command: Transfer, out: ByteWriter): Refusal | undefined {
  const checked = check(state, command);
  if (isRefusal(checked)) return checked;
  move(state.ledger, checked.from, checked.to, command.amount, state.timeMs);
  for (const accountIndex of [command.from, command.to]) {
    if (state.watch.place[accountIndex] !== 0) markForReview(state.pending, accountIndex);
  }
  encodeEvent(out, {
    kind: 'transferred',
    family: checked.family,
    asset: command.asset,
    amount: command.amount,
    from: command.from,
    to: command.to,
  });
  return undefined;
}

/** Checks run in the order of the catalogue, so a caller always gets the same reason first. */
function check(state: State, command: Transfer): Checked | Refusal {
  const asset = state.assets[command.asset];
  if (asset === undefined) return refuse('ASSET_UNKNOWN');
  const key = state.keys[command.by.key];
  assert(key !== undefined, 'the signer was checked');
  const { family } = accountOfKey(state, key);
  for (const accountIndex of [command.from, command.to]) {
    // The same refusal for a foreign account and one that does not exist, so that it reveals neither.
    if (state.accounts[accountIndex]?.family !== family) {
      return refuse('SUB_ACCOUNT_INVALID', 'fromAccount and toAccount must be of your family');
    }
  }
  if (command.from === command.to) return refuse('SAME_ACCOUNT');
  const text = (parts: bigint): string =>
    `${textFromParts(parts, asset.spec.scale)} ${asset.spec.code}`;
  if (command.amount <= 0n) {
    return refuse('VALIDATION_FAILED', `quantity must be above zero, not ${text(command.amount)}`);
  }
  const from = purseOf(state.ledger, command.from, command.asset);
  const available = availableIn(state.ledger, from);
  if (available < command.amount) {
    return refuse(
      'AVAILABLE_TOO_LOW',
      `${text(command.amount)} asked, ${text(available)} available`,
    );
  }
  const risk = riskOfLeaving(state, command.from, command.asset, command.amount);
  if (risk !== undefined) return refuse('TRANSFER_RISK', risk);
  return { family, from, to: purseOf(state.ledger, command.to, command.asset) };
}
