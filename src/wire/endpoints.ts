import { getAccount, getAccountNames, getBalances, getPositions } from './account.ts';
import type { Endpoint } from './endpoint.ts';
import { getTime } from './system.ts';
import { getTransfers, requestTransfer } from './transfers.ts';
import { getWallet } from './wallet.ts';

/** All of them, in the order in which documents print them. */
export const ENDPOINTS: readonly Endpoint[] = [
  getAccount,
  getAccountNames,
  getBalances,
  getPositions,
  getWallet,
  requestTransfer,
  getTransfers,
  getTime,
];
