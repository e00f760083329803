import type { ByteWriter } from '../../bytes/pack.ts';
import { unreachable } from '../../domain/assert.ts';
import type { NoteRefusal, OperatorCommand } from '../../domain/commands.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { State } from '../state.ts';
import { cancelMarket, changeMarket } from './change-market.ts';
import { checkRescan } from './deposit.ts';
import { describeAct } from './describe-act.ts';
import { createKey, revokeKey } from './keys.ts';
import { inviteUser } from './manage-access.ts';
import { createAccount, setRestrictions } from './manage-accounts.ts';
import { defineAsset, defineMarket, defineNetwork, setMarketState } from './manage-markets.ts';
import { moveFunds } from './move-funds.ts';
import {
  operateDeposit,
  operateWithdrawal,
  releaseWithdrawalFee,
  resetFactor,
  setNetworkState,
  setWithdrawalFee,
  setWithdrawalLimits,
} from './operate-wallet.ts';
import { setBackstop } from './set-backstop.ts';
import { setOrderLimits } from './set-order-limits.ts';
import { setPrice } from './set-price.ts';
import { restart } from './tick.ts';

/** The actor of commands that the engine issues by itself. */
const CLOCK = 'clock';

/**
 * Executes an operator's command, and emits who did it, to what, and the subject's state before and after. A
 * refused act changes nothing; the edge records it with a separate command, as it does those that it refuses
 * itself.
 */
export function operate(
  state: State,
  command: OperatorCommand,
  out: ByteWriter,
): Refusal | undefined {
  const { actor } = command;
  if (command.kind === 'note-refusal') return noteRefusal(command, out);
  if (actor === undefined || actor === CLOCK) return perform(state, command, out);
  // What is kept outside the state has no state before.
  const isOutside = command.kind === 'note-operator' || command.kind === 'invite-user';
  const before = isOutside ? '' : describeAct(state, command).standing;
  const refusal = perform(state, command, out);
  if (refusal !== undefined) return refusal;
  const { act, subject, standing: after, reason } = describeAct(state, command);
  encodeEvent(out, { kind: 'operator-acted', actor, act, subject, before, after, reason });
  return undefined;
}

/** The limit of each text in the audit log that comes from outside. */
const NOTED_MAX = 300;

function noteRefusal(
  { actor, act, subject, reason }: NoteRefusal,
  out: ByteWriter,
): Refusal | undefined {
  if ([act, subject, reason].some(({ length }) => length > NOTED_MAX)) {
    return refuse('PARAMETER_INVALID', `a note has at most ${NOTED_MAX} characters`);
  }
  encodeEvent(out, { kind: 'operator-refused', actor, act, subject, reason });
  return undefined;
}

type Act = Exclude<OperatorCommand, NoteRefusal>;

function perform(state: State, command: Act, out: ByteWriter): Refusal | undefined {
  switch (command.kind) {
    case 'define-asset':
      return defineAsset(state, command, out);
    case 'define-network':
      return defineNetwork(state, command, out);
    case 'define-market':
      return defineMarket(state, command, out);
    case 'create-account':
      return createAccount(state, command, out);
    case 'create-key':
      return createKey(state, command, out);
    case 'invite-user':
      return inviteUser(state, command, out);
    case 'revoke-key':
      return revokeKey(state, command, out);
    case 'set-restrictions':
      return setRestrictions(state, command, out);
    case 'set-market-state':
      return setMarketState(state, command, out);
    case 'set-backstop':
      return setBackstop(state, command, out);
    case 'set-order-limits':
      return setOrderLimits(state, command, out);
    case 'set-price':
      return setPrice(state, command, out);
    case 'change-market':
      return changeMarket(state, command, out);
    case 'cancel-market':
      return cancelMarket(state, command, out);
    case 'move-funds':
      return moveFunds(state, command, out);
    case 'step-clock':
      return restart(state);
    case 'note-operator':
      // Operators are not part of the state: the record is the only effect.
      return command.fault;
    case 'note-backup':
      return undefined;
    case 'operate-withdrawal':
      return operateWithdrawal(state, command, out);
    case 'operate-deposit':
      return operateDeposit(state, command, out);
    case 'set-withdrawal-limits':
      return setWithdrawalLimits(state, command, out);
    case 'set-network-state':
      return setNetworkState(state, command, out);
    case 'set-withdrawal-fee':
      return setWithdrawalFee(state, command, out);
    case 'release-withdrawal-fee':
      return releaseWithdrawalFee(state, command);
    case 'reset-factor':
      return resetFactor(state, command, out);
    case 'note-rescan':
      return checkRescan(state, command);
    default:
      return unreachable(command);
  }
}
