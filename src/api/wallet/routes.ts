import { isRefusal } from '../../domain/rejections.ts';
import { WALLET_TYPES, type WalletType } from '../../domain/terms.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import { pageOf } from '../../wire/scalars.ts';
import { getWallet } from '../../wire/wallet.ts';
import { ownerShape } from '../figures.ts';
import { type Route, route } from '../http/mount.ts';
import { askedAccounts } from '../request/asked-accounts.ts';
import { awaitHistory } from '../request/await-history.ts';
import { walletEntryShape } from './shapes.ts';

export const walletRoutes = (engine: Engine, history: History): Route[] => [
  route(getWallet, async ({ request, caller }) => {
    const { directory } = engine;
    const accounts = askedAccounts(directory, caller, request.subAcc, getWallet.limits);
    if (isRefusal(accounts)) return accounts;
    const page = pageOf(request, getWallet.limits, engine.nowMs());
    if (isRefusal(page)) return page;
    const unavailable = await awaitHistory(engine, history);
    if (unavailable !== undefined) return unavailable;
    const type = request.type === undefined ? undefined : walletType(request.type);
    // The limit is each account's own. A type that does not exist has no entries.
    const data = accounts.map((account) => ({
      ...ownerShape(directory, account),
      walletHistory:
        type === 'unknown'
          ? []
          : history
              .walletEntries({ account, ...page, ...(type === undefined ? {} : { type }) })
              .map((row) => walletEntryShape(directory, row)),
    }));
    return { data };
  }),
];

const walletType = (text: string): WalletType | 'unknown' =>
  WALLET_TYPES.find((type) => type === text) ?? 'unknown';
