import { RialtoError } from '../../src/client/index.ts';
import { askerNow } from '../shared/asker.ts';
import { clientOf, type Session, sessions, turnSession } from '../shared/session.ts';
import { keptStore, useStore } from '../shared/store.ts';

export type FamilyAccount = { readonly accountId: string; readonly name: string };

/** Accounts of the family, main first. Only the main account may request them, so the last answer is kept. */
const kept = keptStore<{ readonly accounts: readonly FamilyAccount[] }>('rialto-accounts', {
  accounts: [],
});
export const family = {
  get: (): readonly FamilyAccount[] => kept.get().accounts,
  set: (accounts: readonly FamilyAccount[]): void => kept.set({ accounts }),
};
export const useFamily = (): readonly FamilyAccount[] => useStore(kept, ({ accounts }) => accounts);

const MAIN = 'main';
const FORBIDDEN = 403;

/** Requested after sign-in; a sub-account keeps what its main account got. */
export async function readFamily(): Promise<void> {
  const { session } = sessions.get();
  if (session === undefined) return;
  const own = { accountId: session.accountId, name: session.name };
  const isKnown = family.get().some(({ accountId }) => accountId === own.accountId);
  if (own.name !== MAIN && isKnown) return;
  try {
    const all = await clientOf(session).accountNames();
    if (!isInView(session)) return;
    const listed = all.map(({ accountId, name }) => ({ accountId, name }));
    const others = listed.filter(({ accountId }) => accountId !== own.accountId);
    family.set(session.name === MAIN ? [own, ...others] : [...others, own]);
  } catch (reason) {
    if (!isInView(session)) return;
    const isRefused = reason instanceof RialtoError && reason.status === FORBIDDEN;
    if (isRefused || !isKnown) family.set([own]);
  }
}

/** Otherwise the list of another account, which was asked for since, would be overwritten. */
const isInView = ({ accountId }: Session): boolean =>
  sessions.get().session?.accountId === accountId;

let wanted: FamilyAccount | undefined;
let isTurning = false;

/**
 * Switches to another account of the family without signing in again. If several are chosen meanwhile, the
 * last counts.
 */
export async function turnTo(account: FamilyAccount): Promise<void> {
  wanted = account;
  if (isTurning) return;
  isTurning = true;
  while (wanted !== undefined) {
    const next: FamilyAccount = wanted;
    wanted = undefined;
    const asker = askerNow();
    try {
      await turnSession(next);
    } catch (reason) {
      asker.notifyRefusal('Not switched', reason);
    }
  }
  isTurning = false;
}

/** The first to the ninth, by a key. */
export function turnToNumber(number: number): boolean {
  const account = family.get()[number - 1];
  if (account === undefined) return false;
  void turnTo(account);
  return true;
}
