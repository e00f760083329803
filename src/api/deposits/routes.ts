import { depositCounterFromText } from '../../domain/ids.ts';
import { isRefusal, refuse, shortened } from '../../domain/rejections.ts';
import type { Engine } from '../../engine/engine.ts';
import type { History } from '../../history/history.ts';
import { getDepositAddress, getDeposits } from '../../wire/deposits.ts';
import { type Route, route } from '../http/mount.ts';
import { readAssetNetwork, registeredNetwork } from '../request/asset-network.ts';
import { awaitHistory } from '../request/await-history.ts';
import { recordPage } from '../request/record-page.ts';
import { depositShape } from './shapes.ts';

/**
 * The deposit address of an account on a network, derived from its number; undefined while the network has no
 * chain to watch, or before that was reached for the first time. Stores nothing.
 */
export type DepositAddressOf = (network: string, accountNumber: number) => Found | Promise<Found>;
type Found = { readonly address: string; readonly memo?: string } | undefined;

export const depositRoutes = (
  engine: Engine,
  history: History,
  depositAddress: DepositAddressOf,
): Route[] => [
  route(getDepositAddress, async ({ request, caller }) => {
    const { directory } = engine;
    const { asset } = request;
    const network = registeredNetwork(directory, request.network);
    const pair = readAssetNetwork(directory, { asset, network });
    // An unknown asset makes an unknown pair, which is one error whichever half is wrong.
    if (isRefusal(pair)) {
      if (pair.rejected !== 'ASSET_UNKNOWN') return pair;
      return refuse('PARAMETER_INVALID', `there is no asset ${shortened(asset)}`);
    }
    const way = directory.way(pair.network, pair.asset);
    if (way === undefined) return refuse('PARAMETER_INVALID', `${asset} does not go by ${network}`);
    if (!way.canDeposit) return refuse('DEPOSIT_SUSPENDED', `${asset} on ${network}`);
    const found = await depositAddress(network, caller.account);
    if (found === undefined) {
      return refuse('DEPOSIT_SUSPENDED', `no chain serves ${network}, or it was never reached yet`);
    }
    const { address, memo } = found;
    return { data: { address, ...(memo === undefined ? {} : { memo }) } };
  }),

  route(getDeposits, async ({ request, caller }) => {
    const { directory } = engine;
    const page = recordPage(engine, request, getDeposits.limits, depositCounterFromText);
    if (isRefusal(page)) return page;
    const asset = request.asset === undefined ? undefined : directory.assetByCode(request.asset);
    if (request.asset !== undefined && asset === undefined) return { data: [] };
    const unavailable = await awaitHistory(engine, history);
    if (unavailable !== undefined) return unavailable;
    const rows = await history.deposits({ account: caller.account, asset, ...page });
    return { data: rows.map((row) => depositShape(directory, row)) };
  }),
];
