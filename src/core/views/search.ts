import {
  accountIndexFromText,
  depositCounterFromText,
  withdrawalCounterFromText,
} from '../../domain/ids.ts';
import type { OperatorViews, SearchView } from '../../domain/operator-views.ts';
import { type AccountIndex, exactNumber, type FamilyIndex } from '../../domain/units.ts';
import { NO_ORDER, slotOf } from '../memory/order-rows.ts';
import type { Withdrawal } from '../memory/wallet.ts';
import type { State } from '../state.ts';
import { keyEntry } from './entries.ts';
import { depositView, openWithdrawal } from './open-records.ts';
import { recordOf } from './order-views.ts';

/** Names, keys and records of each kind that one search examines. */
const LOOKED_AT_MAX = 50_000;

/** An id identifies one thing; any other text is searched in names, labels, addresses and transactions. */
export function searchView(
  state: State,
  { text, limit }: OperatorViews['search']['query'],
): SearchView {
  const wanted = text.toLowerCase();
  const has = (found: string): boolean => found.toLowerCase().includes(wanted);
  const families = walk(state.familyByName, limit, ([name]) => has(name));
  const accounts = walk(state.accounts.entries(), limit, ([, account]) => has(account?.name ?? ''));
  const keys = walk(
    state.keys.entries(),
    limit,
    ([, { accessKey, label }]) => accessKey.startsWith(text) || (label !== '' && has(label)),
  );
  const withdrawals = walk(state.wallet.withdrawals, limit, ([, one]) => isOf(one, text));
  const deposits = walk(
    state.wallet.deposits,
    limit,
    ([, { address, txId }]) => address === text || txId === text,
  );
  return {
    families: families.found.map(([, family]) => family as FamilyIndex),
    accounts: [...accountOfId(state, text), ...accounts.found.map(([at]) => at as AccountIndex)],
    keys: keys.found.map(([at]) => keyEntry(state, at)),
    orders: orderOfId(state, text),
    withdrawals: [...idOf(withdrawalCounterFromText(text)), ...withdrawals.found.map(([id]) => id)]
      .map((id) => openWithdrawal(state, id))
      .filter((found) => found !== undefined),
    deposits: [...depositOfId(state, text), ...deposits.found.map(([, one]) => one)].map(
      depositView,
    ),
    isCut: [families, accounts, keys, withdrawals, deposits].some(({ isCut }) => isCut),
  };
}

type Walk<Row> = { readonly found: Row[]; readonly isCut: boolean };

/** The first matching rows, among a limited number. */
function walk<Row>(rows: Iterable<Row>, limit: number, fits: (row: Row) => boolean): Walk<Row> {
  const found: Row[] = [];
  let looked = 0;
  for (const row of rows) {
    if (looked++ === LOOKED_AT_MAX || found.length === limit) return { found, isCut: true };
    if (fits(row)) found.push(row);
  }
  return { found, isCut: false };
}

const isOf = ({ address, txId, versions }: Withdrawal, text: string): boolean =>
  address === text || txId === text || versions.some((version) => version.txId === text);

const idOf = (counter: bigint | undefined): number[] =>
  counter === undefined || counter > BigInt(Number.MAX_SAFE_INTEGER) ? [] : [exactNumber(counter)];

function accountOfId(state: State, text: string): AccountIndex[] {
  const index = accountIndexFromText(text);
  const account = index === undefined ? undefined : state.accounts[index];
  return account === undefined || account === null ? [] : [index as AccountIndex];
}

function depositOfId(state: State, text: string) {
  return idOf(depositCounterFromText(text)).flatMap((id) => {
    const key = state.wallet.depositKeyById.get(id);
    const deposit = key === undefined ? undefined : state.wallet.deposits.get(key);
    return deposit === undefined ? [] : [deposit];
  });
}

function orderOfId({ orders }: State, text: string) {
  if (!/^\d{1,15}$/.test(text)) return [];
  const slot = slotOf(orders, Number.parseInt(text, 10));
  return slot === NO_ORDER ? [] : [recordOf(orders, slot)];
}
