import { getAccount, getAccountNames, getBalances, getPositions } from './account.ts';
import type { Endpoint } from './endpoint.ts';
import {
  getAssets,
  getDepth,
  getExchangeTrades,
  getMarkets,
  getOperational,
  getTickers,
} from './market-data.ts';
import {
  cancelAllOrders,
  cancelOrders,
  getOrderStatus,
  getWorkingOrders,
  modifyOrders,
  placeOrders,
} from './orders.ts';
import { getTime } from './system.ts';
import { getTrades } from './trades.ts';
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
  placeOrders,
  modifyOrders,
  cancelOrders,
  cancelAllOrders,
  getOrderStatus,
  getWorkingOrders,
  getTrades,
  getMarkets,
  getAssets,
  getTickers,
  getDepth,
  getOperational,
  getExchangeTrades,
  getTime,
];
