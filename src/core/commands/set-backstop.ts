import type { ByteWriter } from '../../bytes/pack.ts';
import type { SetBackstop } from '../../domain/commands.ts';
import { encodeEvent } from '../../domain/event-codec.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { MarketIndex } from '../../domain/units.ts';
import type { State } from '../state.ts';
import { findAccount } from './manage-accounts.ts';

/** Makes an account a backstop provider of a market; a size of 0 ends that. */
export function setBackstop(
  state: State,
  command: SetBackstop,
  out: ByteWriter,
): Refusal | undefined {
  const account = findAccount(state, command.account);
  if (account === undefined) return refuse('SUB_ACCOUNT_INVALID', command.account.name);
  const market = state.marketByCode.get(command.market);
  if (market === undefined || state.markets[market]?.spec.type !== 'FUTURE') {
    return refuse('MARKET_UNKNOWN', `${command.market} is no perpetual`);
  }
  const { maxLots } = command;
  if (!Number.isSafeInteger(maxLots) || maxLots < 0) {
    return refuse('PARAMETER_INVALID', `maxLots is a whole number from 0 on, not ${maxLots}`);
  }
  const known = state.backstops.find((one) => one.account === account && one.market === market);
  if (known === undefined) state.backstops.push({ account, market, maxLots });
  else known.maxLots = maxLots;
  encodeEvent(out, { kind: 'backstop-set', account, market: market as MarketIndex, maxLots });
  return undefined;
}
