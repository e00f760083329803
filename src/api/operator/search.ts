import {
  accountIdText,
  depositCounterFromText,
  depositIdText,
  withdrawalCounterFromText,
  withdrawalIdText,
} from '../../domain/ids.ts';
import type { SearchView } from '../../domain/operator-views.ts';
import type { Directory } from '../../domain/views.ts';
import type { DepositRecord, WithdrawalRecord } from '../../domain/wallet.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import { search } from '../../wire/operator-reports.ts';
import { limitOf } from '../../wire/scalars.ts';
import { type Route, route } from '../http/mount.ts';
import { awaitHistory } from '../request/await-history.ts';
import { recordCounter } from '../request/record-page.ts';
import { holderShape } from './wallet-shapes.ts';

const SEARCH_PAGES = { default: 20, max: 100 };

type SearchParts = { readonly engine: Engine; readonly history: History };

/** Unfinished records come from the venue's state, finished withdrawals and deposits from history. */
export const searchRoute = (parts: SearchParts): Route =>
  route(search, async ({ request }) => {
    const limit = limitOf(request.limit, SEARCH_PAGES);
    const found = await parts.engine.view('search', { text: request.q, limit });
    const ended = await endedRecords(parts, request.q, limit);
    return { data: foundShape(parts.engine.directory, found, ended) };
  });

type EndedRecords = {
  readonly withdrawals: readonly WithdrawalRecord[];
  readonly deposits: readonly DepositRecord[];
  readonly isCut: boolean;
};

/** While history is not available the rest is shown, and that there may be more. */
async function endedRecords(
  { engine, history }: SearchParts,
  text: string,
  limit: number,
): Promise<EndedRecords> {
  const behind = await awaitHistory(engine, history);
  if (behind !== undefined) return { withdrawals: [], deposits: [], isCut: true };
  const ask = (counterFromText: (text: string) => bigint | undefined) => {
    const number = recordCounter(text, counterFromText);
    return { name: text, limit, ...(number === undefined ? {} : { number }) };
  };
  const withdrawals = await history.withdrawalsNamed(ask(withdrawalCounterFromText));
  const deposits = await history.depositsNamed(ask(depositCounterFromText));
  return { withdrawals, deposits, isCut: Math.max(withdrawals.length, deposits.length) >= limit };
}

/** The venue's own first: history has the unfinished ones, too. */
function once<Row extends { readonly id: number }>(
  open: readonly Row[],
  ended: readonly Row[],
): Row[] {
  const known = new Set(open.map(({ id }) => id));
  return [...open, ...ended.filter(({ id }) => !known.has(id))];
}

function foundShape(
  directory: Directory,
  found: SearchView,
  ended: EndedRecords,
): ReplyOf<typeof search> {
  const openWithdrawals = found.withdrawals.map(({ withdrawal }) => withdrawal);
  const openDeposits = found.deposits.map(({ deposit }) => deposit);
  return {
    families: found.families.map((family) => directory.family(family).name),
    accounts: found.accounts.map((account) => ({
      ...holderShape(directory, account),
      active: directory.account(account)?.isActive === true,
    })),
    keys: found.keys.map(({ accessKey, account, isRevoked }) => ({
      accessKey,
      accountId: accountIdText(account),
      revoked: isRevoked,
    })),
    orders: found.orders.map(({ orderId, market, account }) => ({
      orderId: String(orderId),
      marketCode: directory.market(market).code,
      accountId: accountIdText(account),
    })),
    withdrawals: once(openWithdrawals, ended.withdrawals).map(({ id, account, status, asset }) => ({
      id: withdrawalIdText(id),
      accountId: accountIdText(account),
      status,
      asset: directory.asset(asset).code,
    })),
    deposits: once(openDeposits, ended.deposits).map(({ id, account, status, asset }) => ({
      id: depositIdText(id),
      accountId: accountIdText(account),
      status,
      asset: directory.asset(asset).code,
    })),
    cut: found.isCut || ended.isCut,
  };
}
