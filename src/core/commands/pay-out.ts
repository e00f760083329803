import { type Refusal, refuse } from '../../domain/rejections.ts';
import { DAY_MS, type PayOut } from '../memory/wallet.ts';
import type { State } from '../state.ts';

/** The first operator asks, the second confirms: a request is valid for this long. */
const ASKED_MS = DAY_MS;
/** Requests that may wait at the same time. */
const ASKED_MAX = 100;

type Asked = Omit<PayOut, 'askedAtMs'>;

/**
 * An operator asks to pay an account from a purse of the venue. `confirmed` if another has asked for exactly the same
 * within a day, whose request is thereby used up; undefined if this is the first request, which is kept.
 */
export function askToPayOut(state: State, asked: Asked): 'confirmed' | Refusal | undefined {
  const { payOuts } = state.wallet;
  const found = payOutAsked(state, asked);
  if (found !== undefined) {
    if (found.actor === asked.actor) {
      return refuse('REPEATED_CLICK', `${asked.actor} has asked for it; another operator must too`);
    }
    payOuts.splice(payOuts.indexOf(found), 1);
    return 'confirmed';
  }
  const valid = payOuts.filter((one) => isValid(state, one));
  if (valid.length >= ASKED_MAX) {
    return refuse('LIMIT_REACHED', `${ASKED_MAX} payments wait for a second operator`);
  }
  payOuts.splice(0, payOuts.length, ...valid, { ...asked, askedAtMs: state.timeMs });
  return undefined;
}

/** The request for the same payment that a second operator could confirm now. */
export function payOutAsked(
  state: State,
  { from, account, asset, amount }: Omit<Asked, 'actor'>,
): PayOut | undefined {
  return state.wallet.payOuts.find(
    (one) =>
      one.from === from &&
      one.account === account &&
      one.asset === asset &&
      one.amount === amount &&
      isValid(state, one),
  );
}

const isValid = ({ timeMs }: State, { askedAtMs }: PayOut): boolean =>
  timeMs < askedAtMs + ASKED_MS;
