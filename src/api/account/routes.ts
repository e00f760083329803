import { accountIdText } from '../../domain/ids.ts';
import { isRefusal } from '../../domain/rejections.ts';
import type { AccountIndex } from '../../domain/units.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import {
  getAccount,
  getAccountHistory,
  getAccountNames,
  getBalances,
  getPositions,
} from '../../wire/account.ts';
import { pageOf } from '../../wire/scalars.ts';
import { ownerShape } from '../figures.ts';
import { type Route, route } from '../http/mount.ts';
import { selectedAccounts } from '../request/accounts.ts';
import { awaitHistory } from '../request/await-history.ts';
import { marketFilter } from '../request/names.ts';
import { accountHourShape, accountShape, balanceShape, positionShape } from './shapes.ts';

export const accountRoutes = (engine: Engine, history: History): Route[] => [
  route(getAccount, async ({ request, caller }) => {
    const { directory } = engine;
    const accounts = selectedAccounts(directory, caller, request.subAcc, getAccount.limits);
    if (isRefusal(accounts)) return accounts;
    const views = await engine.view('accounts', { accounts });
    return { data: views.map((view) => accountShape(directory, view)) };
  }),

  route(getAccountNames, ({ caller }) => {
    const { directory } = engine;
    const { restrictions, accounts } = directory.family(caller.family);
    // Where the whole family is inactive, so is every account of it.
    if (restrictions.includes('inactive')) return { data: [] };
    const data = accounts.flatMap((account) => {
      const entry = directory.account(account);
      if (entry === undefined || entry.isMain || !entry.isActive) return [];
      return [{ accountId: accountIdText(account), name: entry.name }];
    });
    return { data };
  }),

  route(getBalances, async ({ request, caller }) => {
    const { directory } = engine;
    const accounts = selectedAccounts(directory, caller, request.subAcc, getBalances.limits);
    if (isRefusal(accounts)) return accounts;
    const asset = request.asset === undefined ? undefined : directory.assetByCode(request.asset);
    const owners = accounts.map((account) => ownerShape(directory, account));
    // An unknown asset gives an empty list, like one that was never held.
    if (request.asset !== undefined && asset === undefined) {
      return { data: owners.map((owner) => ({ ...owner, balances: [] })) };
    }
    const views = await engine.view('balances', {
      accounts,
      ...(asset === undefined ? {} : { asset }),
    });
    return {
      data: views.map(({ account, balances }) => ({
        ...ownerShape(directory, account),
        balances: balances.map((balance) => balanceShape(directory, balance)),
      })),
    };
  }),

  route(getPositions, async ({ request, caller }) => {
    const { directory } = engine;
    const accounts = selectedAccounts(directory, caller, request.subAcc, getPositions.limits);
    if (isRefusal(accounts)) return accounts;
    const market = marketFilter(directory, request.marketCode);
    if (typeof market === 'object') return market;
    const views = await engine.view('positions', {
      accounts,
      ...(market === undefined ? {} : { market }),
    });
    if (views.every(({ positions }) => positions.length === 0)) return { data: [] };
    return {
      data: views.map(({ account, positions }) => ({
        ...ownerShape(directory, account),
        positions: positions.map((position) => positionShape(directory, position)),
      })),
    };
  }),

  route(getAccountHistory, async ({ request, caller }) => {
    const { directory } = engine;
    const { limits } = getAccountHistory;
    const accounts = selectedAccounts(directory, caller, request.subAcc, limits);
    if (isRefusal(accounts)) return accounts;
    const page = pageOf(request, limits, engine.nowMs());
    if (isRefusal(page)) return page;
    const unavailable = await awaitHistory(engine, history);
    if (unavailable !== undefined) return unavailable;
    const { fromMs, toMs, limit } = page;
    const rowsOf = async (account: AccountIndex) => {
      const rows = await history.accountHours({ account, fromMs, toMs, limit });
      return {
        ...ownerShape(directory, account),
        history: rows.map((row) => accountHourShape(directory, row)),
      };
    };
    return { data: await Promise.all(accounts.map(rowsOf)) };
  }),
];
