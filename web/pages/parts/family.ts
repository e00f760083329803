import type { ReplyOf } from '../../../src/client/index.ts';
import type { getAccount } from '../../../src/wire/account.ts';
import { type Query, useQuery } from '../../shared/query.ts';
import { clientOf, type Session } from '../../shared/session.ts';
import { namesInTurn } from './names-in-turn.ts';

export type Account = ReplyOf<typeof getAccount>[number] & {
  /** Neither frozen nor made inactive. */
  readonly isActive: boolean;
};

export const isMain = (session: Session): boolean => session.name === 'main';

async function readFamily(session: Session): Promise<readonly Account[]> {
  const client = clientOf(session);
  if (!isMain(session)) return (await client.account()).map((one) => ({ ...one, isActive: true }));
  const subAccounts = await client.subAccounts();
  const names = subAccounts.map(({ name }) => name);
  const frozen = new Set(
    subAccounts.flatMap(({ accountId, active }) => (active ? [] : [accountId])),
  );
  const all = new Map<string, Account>();
  for (const request of namesInTurn(names)) {
    for (const one of await client.account(request)) {
      all.set(one.accountId, { ...one, isActive: !frozen.has(one.accountId) });
    }
  }
  return [...all.values()];
}

/**
 * The session's account; with the main account's session the whole family, frozen accounts included, with
 * balances and margin.
 */
export const useFamily = (session: Session, dependsOn = ''): Query<readonly Account[]> =>
  useQuery(() => readFamily(session), `${session.accessKey} family ${dependsOn}`, 5_000);
