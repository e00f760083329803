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
} from '../wire/access.ts';
import {
  getAccount,
  getAccountHistory,
  getAccountNames,
  getBalances,
  getPositions,
} from '../wire/account.ts';
import { getClosedOrders } from '../wire/closed-orders.ts';
import { getDepositAddress, getDeposits } from '../wire/deposits.ts';
import type { RequestOf } from '../wire/endpoint.ts';
import { getFunding, getFundingEstimates, getFundingRates } from '../wire/funding.ts';
import { getLiquidations } from '../wire/liquidations.ts';
import {
  getAssets,
  getCandles,
  getDepth,
  getExchangeTrades,
  getLeverageTiers,
  getMarkets,
  getOperational,
  getTickers,
} from '../wire/market-data.ts';
import {
  cancelAllAfter,
  cancelAllOrders,
  cancelOrders,
  getOrderStatus,
  getWorkingOrders,
  modifyOrders,
  placeOrders,
} from '../wire/orders.ts';
import {
  beginSecondFactor,
  confirmSecondFactor,
  getSecondFactors,
  getWhitelistMode,
  removeSecondFactor,
  removeWithdrawalAddress,
  saveWithdrawalAddress,
  setWhitelistMode,
} from '../wire/protection.ts';
import { demoAccounts, demoSession, sandboxChain, sandboxDeposit } from '../wire/sandbox.ts';
import { getTime } from '../wire/system.ts';
import { getTrades } from '../wire/trades.ts';
import { getTransfers, requestTransfer } from '../wire/transfers.ts';
import { getUnfinished, getWallet } from '../wire/wallet.ts';
import { estimateMargin, previewOrder } from '../wire/what-if.ts';
import {
  cancelWithdrawal,
  getWithdrawalAddresses,
  getWithdrawalFee,
  getWithdrawals,
  requestWithdrawal,
} from '../wire/withdrawals.ts';
import { type RialtoClientOptions, SignedCaller } from './caller.ts';
import { type HandoutChoice, type HandoutRead, readHandout } from './handout.ts';

/**
 * The venue's REST interface, one method per endpoint: each signs, calls and returns `data`, or throws
 * `RialtoError`. Works wherever there are fetch and WebCrypto: Node and browsers.
 */
export class RialtoClient extends SignedCaller {
  /** For an account of a handout: the file that `dev` writes, or its content. */
  static async fromHandout(
    source: string | URL | HandoutRead,
    options: HandoutChoice & Partial<RialtoClientOptions> = {},
  ): Promise<RialtoClient> {
    return new RialtoClient({ ...(await readHandout(source, options)), ...options });
  }

  /** The account of the key, then the requested sub-accounts, with balances and margin. */
  account = (request: RequestOf<typeof getAccount> = {}) => this.call(getAccount, request);
  /** All active sub-accounts. */
  accountNames = () => this.call(getAccountNames, {});
  /** Balances per account: total = available + reserved. */
  balances = (request: RequestOf<typeof getBalances> = {}) => this.call(getBalances, request);
  /** Open positions per account; an empty list when there are none at all. */
  positions = (request: RequestOf<typeof getPositions> = {}) => this.call(getPositions, request);
  /** The hours of each account in which it realised PnL or was due funding, newest first. */
  accountHistory = (request: RequestOf<typeof getAccountHistory> = {}) =>
    this.call(getAccountHistory, request);
  /** Wallet history per account, newest first. */
  wallet = (request: RequestOf<typeof getWallet> = {}) => this.call(getWallet, request);
  /** The progress of unfinished deposits and withdrawals, and why they wait. */
  unfinished = () => this.call(getUnfinished, {});
  /** Moves available funds from one account of the family to another, immediately. */
  transfer = (request: RequestOf<typeof requestTransfer>) => this.call(requestTransfer, request);
  /** Transfers, newest first. */
  transfers = (request: RequestOf<typeof getTransfers> = {}) => this.call(getTransfers, request);
  /** The deposit address, which never changes. */
  depositAddress = (request: RequestOf<typeof getDepositAddress>) =>
    this.call(getDepositAddress, request);
  /** Deposits, newest first. */
  deposits = (request: RequestOf<typeof getDeposits> = {}) => this.call(getDeposits, request);
  /** Saved addresses of the family. */
  withdrawalAddresses = (request: RequestOf<typeof getWithdrawalAddresses> = {}) =>
    this.call(getWithdrawalAddresses, request);
  /** Withdrawals, newest first. */
  withdrawals = (request: RequestOf<typeof getWithdrawals> = {}) =>
    this.call(getWithdrawals, request);
  /** Requests a withdrawal: reserves the amount and sends it when nothing blocks it. */
  withdraw = (request: RequestOf<typeof requestWithdrawal>) =>
    this.call(requestWithdrawal, request);
  /** Cancels a withdrawal that has not been sent. */
  cancelWithdrawal = (request: RequestOf<typeof cancelWithdrawal>) =>
    this.call(cancelWithdrawal, request);
  /** What a withdrawal would cost now; for one minute it costs no more. */
  withdrawalFee = (request: RequestOf<typeof getWithdrawalFee>) =>
    this.call(getWithdrawalFee, request);
  /** Saves an address, or changes its label and whitelist mark. */
  saveWithdrawalAddress = (request: RequestOf<typeof saveWithdrawalAddress>) =>
    this.call(saveWithdrawalAddress, request);
  /** Removes a saved address. */
  removeWithdrawalAddress = (request: RequestOf<typeof removeWithdrawalAddress>) =>
    this.call(removeWithdrawalAddress, request);
  /** Whether withdrawals go only to whitelisted addresses. */
  whitelistMode = () => this.call(getWhitelistMode, {});
  /** Turns whitelist mode on or off; turning it off needs a code. */
  setWhitelistMode = (request: RequestOf<typeof setWhitelistMode>) =>
    this.call(setWhitelistMode, request);
  /** Second factors that withdrawals of the family need. */
  secondFactors = () => this.call(getSecondFactors, {});
  /** First step of adding a second factor; nothing is changed yet. */
  beginSecondFactor = (request: RequestOf<typeof beginSecondFactor>) =>
    this.call(beginSecondFactor, request);
  /** Second step: confirms it with its first code. */
  confirmSecondFactor = (request: RequestOf<typeof confirmSecondFactor>) =>
    this.call(confirmSecondFactor, request);
  /** Removes a second factor with a code of it or of another one; it takes effect after a day. */
  removeSecondFactor = (request: RequestOf<typeof removeSecondFactor>) =>
    this.call(removeSecondFactor, request);
  /** Places up to 8 orders; each is accepted or refused by itself and answered at its position. */
  placeOrders = (request: RequestOf<typeof placeOrders>) => this.call(placeOrders, request);
  /** Changes the price, stop price or total quantity of up to 8 open orders. */
  modifyOrders = (request: RequestOf<typeof modifyOrders>) => this.call(modifyOrders, request);
  /** Cancels up to 8 open orders; each is answered at its position. */
  cancelOrders = (request: RequestOf<typeof cancelOrders>) => this.call(cancelOrders, request);
  /** Cancels all open orders of the account, or those of one market. */
  cancelAllOrders = (request: RequestOf<typeof cancelAllOrders> = {}) =>
    this.call(cancelAllOrders, request);
  /** Unsigned: signing in needs no key; create another client with the key that is returned. */
  signIn = (request: RequestOf<typeof signIn>) => this.call(signIn, request);
  /** A session for another account of the family. */
  openSession = (request: RequestOf<typeof openSession>) => this.call(openSession, request);
  /** Open sessions of the family, newest first. */
  sessions = () => this.call(getSessions, {});
  /** Ends the session that signs this request, or another one of the family. */
  signOut = (request: RequestOf<typeof signOut> = {}) => this.call(signOut, request);
  /** Sets a password with the token of an invitation. */
  acceptInvitation = (request: RequestOf<typeof acceptInvitation>) =>
    this.call(acceptInvitation, request);
  /** Opens an account, if the venue has open registration. */
  signUp = (request: RequestOf<typeof signUp>) => this.call(signUp, request);
  /** Changes the password and ends every other session. */
  setPassword = (request: RequestOf<typeof setPassword>) => this.call(setPassword, request);
  /** Live keys of the family, without their secrets. */
  apiKeys = () => this.call(getApiKeys, {});
  /** Creates a key; its secret is shown only in this response. */
  createApiKey = (request: RequestOf<typeof createApiKey>) => this.call(createApiKey, request);
  /** Revokes a key of the family; any key that may trade may revoke itself. */
  revokeApiKey = (request: RequestOf<typeof revokeApiKey>) => this.call(revokeApiKey, request);
  /** All sub-accounts of the family, including frozen ones. */
  subAccounts = () => this.call(getSubAccounts, {});
  /** Creates a sub-account. */
  createSubAccount = (request: RequestOf<typeof createSubAccount>) =>
    this.call(createSubAccount, request);
  /** Renames a sub-account. */
  renameSubAccount = (request: RequestOf<typeof renameSubAccount>) =>
    this.call(renameSubAccount, request);
  /** Makes a sub-account inactive, or active again. */
  freezeSubAccount = (request: RequestOf<typeof freezeSubAccount>) =>
    this.call(freezeSubAccount, request);
  /** Dead-man switch: cancels all open orders unless it is called again in time. */
  cancelAllAfter = (request: RequestOf<typeof cancelAllAfter>) =>
    this.call(cancelAllAfter, request);
  /** One order, open or closed. */
  orderStatus = (request: RequestOf<typeof getOrderStatus>) => this.call(getOrderStatus, request);
  /** All open orders, newest first. */
  workingOrders = (request: RequestOf<typeof getWorkingOrders> = {}) =>
    this.call(getWorkingOrders, request);
  /** Closed orders by when they closed, newest first. */
  closedOrders = (request: RequestOf<typeof getClosedOrders> = {}) =>
    this.call(getClosedOrders, request);
  /** The trades of the account, newest first: its own side of each match. */
  trades = (request: RequestOf<typeof getTrades> = {}) => this.call(getTrades, request);
  /** Funding the account paid and received, newest first. */
  funding = (request: RequestOf<typeof getFunding> = {}) => this.call(getFunding, request);
  /** Liquidations of the account, step by step, newest first. */
  liquidations = (request: RequestOf<typeof getLiquidations> = {}) =>
    this.call(getLiquidations, request);
  /** The account after hypothetical prices, balance changes, fills and open orders. */
  estimateMargin = (request: RequestOf<typeof estimateMargin> = {}) =>
    this.call(estimateMargin, request);
  /** What placing an order would do now, and the account after it. */
  previewOrder = (order: RequestOf<typeof previewOrder>) => this.call(previewOrder, order);
  /** The markets with their terms and current prices. */
  markets = (request: RequestOf<typeof getMarkets> = {}) => this.call(getMarkets, request);
  /** The assets and the networks on which they are deposited and withdrawn. */
  assets = (request: RequestOf<typeof getAssets> = {}) => this.call(getAssets, request);
  /** The last match, the mark price and the last 24 hours of each market. */
  tickers = (request: RequestOf<typeof getTickers> = {}) => this.call(getTickers, request);
  /** Candles of a market, newest first and without gaps. */
  candles = (request: RequestOf<typeof getCandles>) => this.call(getCandles, request);
  /** The book of a market, best prices first. */
  depth = (request: RequestOf<typeof getDepth>) => this.call(getDepth, request);
  /** Whether a market accepts orders. */
  operational = (request: RequestOf<typeof getOperational>) => this.call(getOperational, request);
  /** The matches of the venue, newest first. */
  exchangeTrades = (request: RequestOf<typeof getExchangeTrades> = {}) =>
    this.call(getExchangeTrades, request);
  /** The rate of the current hour by its premium so far: perpetuals only. */
  fundingEstimates = (request: RequestOf<typeof getFundingEstimates> = {}) =>
    this.call(getFundingEstimates, request);
  /** Funding rates of past hours, newest first. */
  fundingRates = (request: RequestOf<typeof getFundingRates> = {}) =>
    this.call(getFundingRates, request);
  /** The maximum leverage of a position by its notional: perpetuals only. */
  leverageTiers = (request: RequestOf<typeof getLeverageTiers> = {}) =>
    this.call(getLeverageTiers, request);
  /** The venue's clock. */
  time = () => this.call(getTime, {});

  /**
   * Sandbox (`dev` only): deposits to an account on a simulated chain. Needs `sandboxToken`, as the next one
   * does.
   */
  sandboxDeposit = (request: RequestOf<typeof sandboxDeposit>) =>
    this.call(sandboxDeposit, request);
  /** Sandbox: changes the state of a simulated chain, or produces blocks. */
  sandboxChain = (request: RequestOf<typeof sandboxChain>) => this.call(sandboxChain, request);
  /** Sandbox: demo accounts that can be opened without a password from the same machine. */
  demoAccounts = () => this.call(demoAccounts, {});
  /** Sandbox: a session of a demo account. */
  demoSession = (request: RequestOf<typeof demoSession>) => this.call(demoSession, request);
}
