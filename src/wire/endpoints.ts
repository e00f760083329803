import {
  acceptInvitation,
  createApiKey,
  createSubAccount,
  freezeSubAccount,
  getApiKeys,
  getSessions,
  getSubAccounts,
  openSession,
  renameSubAccount,
  revokeApiKey,
  setPassword,
  signIn,
  signOut,
  signUp,
} from './access.ts';
import {
  getAccount,
  getAccountHistory,
  getAccountNames,
  getBalances,
  getPositions,
} from './account.ts';
import { getClosedOrders } from './closed-orders.ts';
import { getDepositAddress, getDeposits } from './deposits.ts';
import type { Endpoint } from './endpoint.ts';
import { getFunding, getFundingEstimates, getFundingRates } from './funding.ts';
import { getLiquidations } from './liquidations.ts';
import {
  getAssets,
  getCandles,
  getDepth,
  getExchangeTrades,
  getLeverageTiers,
  getMarkets,
  getOperational,
  getTickers,
} from './market-data.ts';
import {
  cancelAllAfter,
  cancelAllOrders,
  cancelOrders,
  getOrderStatus,
  getWorkingOrders,
  modifyOrders,
  placeOrders,
} from './orders.ts';
import {
  beginSecondFactor,
  confirmSecondFactor,
  getSecondFactors,
  getWhitelistMode,
  removeSecondFactor,
  removeWithdrawalAddress,
  saveWithdrawalAddress,
  setWhitelistMode,
} from './protection.ts';
import { getTime } from './system.ts';
import { getTrades } from './trades.ts';
import { getTransfers, requestTransfer } from './transfers.ts';
import { getWallet } from './wallet.ts';
import { estimateMargin, previewOrder } from './what-if.ts';
import {
  cancelWithdrawal,
  getWithdrawalAddresses,
  getWithdrawalFee,
  getWithdrawals,
  requestWithdrawal,
} from './withdrawals.ts';

/** All of them, in the order in which documents print them. */
export const ENDPOINTS: readonly Endpoint[] = [
  getAccount,
  getAccountNames,
  getBalances,
  getPositions,
  getAccountHistory,
  getWallet,
  requestTransfer,
  getTransfers,
  getDepositAddress,
  getDeposits,
  getWithdrawalAddresses,
  getWithdrawals,
  requestWithdrawal,
  cancelWithdrawal,
  getWithdrawalFee,
  saveWithdrawalAddress,
  removeWithdrawalAddress,
  getWhitelistMode,
  setWhitelistMode,
  getSecondFactors,
  beginSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
  placeOrders,
  modifyOrders,
  cancelOrders,
  cancelAllOrders,
  cancelAllAfter,
  getOrderStatus,
  getWorkingOrders,
  getClosedOrders,
  getTrades,
  getFunding,
  getLiquidations,
  estimateMargin,
  previewOrder,
  getMarkets,
  getAssets,
  getTickers,
  getCandles,
  getDepth,
  getOperational,
  getExchangeTrades,
  getFundingEstimates,
  getFundingRates,
  getLeverageTiers,
  getTime,
  signIn,
  openSession,
  getSessions,
  signOut,
  acceptInvitation,
  signUp,
  setPassword,
  getApiKeys,
  createApiKey,
  revokeApiKey,
  getSubAccounts,
  createSubAccount,
  renameSubAccount,
  freezeSubAccount,
];
