import { accountIndexFromText } from '../../domain/ids.ts';
import { isRefusal, type Refusal } from '../../domain/rejections.ts';
import type { AccountIndex, FamilyIndex } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';
import type { Limits } from '../../wire/endpoint.ts';
import { subAccountNames } from '../../wire/scalars.ts';
import type { Caller } from '../http/authenticate.ts';
import { accountByName } from './names.ts';

/**
 * The accounts a read is about: the key's own, then the named sub-accounts, in the order of the request. A
 * sub-account's key sees only itself, whatever it names; an unknown name is skipped, so that the response is
 * the same as for a foreign one.
 */
export function selectedAccounts(
  directory: Directory,
  caller: Caller,
  subAcc: string | undefined,
  limits: Limits | undefined,
): readonly AccountIndex[] | Refusal {
  if (!caller.isMain || subAcc === undefined) return [caller.account];
  const names = subAccountNames(subAcc, limits);
  if (isRefusal(names)) return names;
  const found = names.flatMap((name) => {
    const account = accountByName(directory, caller.family, name);
    return account === undefined ? [] : [account];
  });
  return [...new Set([caller.account, ...found])];
}

/** An account of the family by its id or its exact name; an id takes precedence. */
export function accountByIdOrName(
  directory: Directory,
  family: FamilyIndex,
  text: string,
): AccountIndex | undefined {
  const index = accountIndexFromText(text) as AccountIndex | undefined;
  if (index !== undefined && directory.account(index)?.family === family) return index;
  return accountByName(directory, family, text);
}
