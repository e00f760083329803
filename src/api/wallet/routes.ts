import { isRefusal } from '../../domain/rejections.ts';
import { WALLET_TYPES, type WalletType } from '../../domain/terms.ts';
import type { AccountIndex } from '../../domain/units.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import { DAY_MS, pageOf } from '../../wire/scalars.ts';
import { getUnfinished, getWallet } from '../../wire/wallet.ts';
import { nativeText, ownerShape } from '../figures.ts';
import { type Route, route } from '../http/mount.ts';
import { selectedAccounts } from '../request/accounts.ts';
import { awaitHistory } from '../request/await-history.ts';
import { unfinishedDeposit, unfinishedWithdrawal, walletEntryShape } from './shapes.ts';

/** The height up to which a network's blocks are read; undefined while nobody reads them. */
export type ReadHeightOf = (network: string) => number | undefined | Promise<number | undefined>;

export const walletRoutes = (
  engine: Engine,
  history: History,
  readHeight: ReadHeightOf,
): Route[] => [
  ...unfinishedRoutes(engine, history, readHeight),

  route(getWallet, async ({ request, caller }) => {
    const { directory } = engine;
    const accounts = selectedAccounts(directory, caller, request.subAcc, getWallet.limits);
    if (isRefusal(accounts)) return accounts;
    const page = pageOf(request, getWallet.limits, engine.nowMs());
    if (isRefusal(page)) return page;
    const unavailable = await awaitHistory(engine, history);
    if (unavailable !== undefined) return unavailable;
    const type = request.type === undefined ? undefined : walletType(request.type);
    // The limit is each account's own. A type that does not exist has no entries.
    const entriesOf = (account: AccountIndex) =>
      type === 'unknown'
        ? []
        : history.walletEntries({ account, ...page, ...(type === undefined ? {} : { type }) });
    const rowsOf = async (account: AccountIndex) => ({
      ...ownerShape(directory, account),
      walletHistory: (await entriesOf(account)).map((row) => walletEntryShape(directory, row)),
    });
    return { data: await Promise.all(accounts.map(rowsOf)) };
  }),
];

/** Older deposits that still wait are left to operators. */
const LOOKS_BACK_MS = 7 * DAY_MS;
const DEPOSITS_MAX = 200;

const unfinishedRoutes = (engine: Engine, history: History, readHeight: ReadHeightOf): Route[] => [
  route(getUnfinished, async ({ caller: { account } }) => {
    const { directory } = engine;
    const unavailable = await awaitHistory(engine, history);
    if (unavailable !== undefined) return unavailable;
    const { withdrawals, daily, spent } = await engine.view('unfinished', { account });
    const toMs = engine.nowMs();
    const window = { fromMs: Math.max(0, toMs - LOOKS_BACK_MS), toMs, limit: DEPOSITS_MAX };
    const recent = await history.deposits({ account, asset: undefined, ...window });
    const deposits = recent.filter(({ status }) => status === 'PENDING' || status === 'ON HOLD');
    const networks = await Promise.all(
      directory.networks().map(async (spec) => ({ spec, height: await readHeight(spec.name) })),
    );
    return {
      data: {
        withdrawals: withdrawals.map((one) => unfinishedWithdrawal(one, networks[one.network])),
        deposits: deposits.map((one) => unfinishedDeposit(one, networks[one.network])),
        networks: networks.map(({ spec: { name, confirmations, needsMemo } }) => ({
          network: name,
          confirmationsNeeded: String(confirmations),
          needsMemo,
        })),
        withdrawalLimit: nativeText(directory, daily),
        withdrawalLimitLeft: nativeText(directory, daily > spent ? daily - spent : 0n),
      },
    };
  }),
];

const walletType = (text: string): WalletType | 'unknown' =>
  WALLET_TYPES.find((type) => type === text) ?? 'unknown';
