import { REJECTIONS } from '../domain/rejections.ts';
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
import type { Endpoint, ReplyOf, RequestOf } from '../wire/endpoint.ts';
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
import { queryText } from '../wire/query.ts';
import { messageToSign } from '../wire/signing.ts';
import { getTime } from '../wire/system.ts';
import { timestampText } from '../wire/timestamp.ts';
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
import { hmacBase64, importSecret } from './secret.ts';

export type RialtoClientOptions = {
  /** "http://localhost:8080"; its host, with the port, is what is signed. */
  readonly baseUrl: string;
  /** Key and secret may be left out by who calls public endpoints only. */
  readonly accessKey?: string;
  readonly secret?: string;
  /** Instead of the secret: an HMAC-SHA-256 key of WebCrypto, which may be non-extractable. */
  readonly signingKey?: CryptoKey;
  readonly fetch?: typeof fetch;
  readonly nowMs?: () => number;
  readonly nonce?: () => string;
};

/** A signed request. Sent again it is byte for byte the same, so it takes effect once. */
export type Prepared<E extends Endpoint = Endpoint> = {
  readonly endpoint: E;
  readonly url: string;
  readonly method: Endpoint['method'];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

export type Reply<E extends Endpoint = Endpoint> = {
  readonly data: ReplyOf<E>;
  readonly status: number;
  /** True when the venue repeated the response it gave to these very bytes before. */
  readonly isRepeat: boolean;
  readonly requestId: string | undefined;
};

/** The venue refused. `code` is the published one; `status` is HTTP's. */
export class RialtoError extends Error {
  readonly code: string;
  readonly status: number;
  readonly isRepeat: boolean;
  readonly requestId: string | undefined;
  /** After a rate limit: how long to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(response: Response, code: string, message: string) {
    super(message);
    this.name = 'RialtoError';
    this.code = code;
    this.status = response.status;
    this.isRepeat = isRepeat(response);
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    const retryAfter = response.headers.get('retry-after');
    this.retryAfterMs = retryAfter === null ? undefined : Number.parseInt(retryAfter, 10) * 1_000;
  }

  /** The venue does not know whether the request took effect: send the same `Prepared` again. */
  get isOutcomeUnknown(): boolean {
    return this.status === 503 && this.message.startsWith(REJECTIONS.OUTCOME_UNKNOWN.message);
  }
}

/** Signs and calls. Works wherever there are fetch and WebCrypto: Node and browsers. */
export class RialtoClient {
  readonly #baseUrl: string;
  readonly #host: string;
  readonly #accessKey: string;
  readonly #key: Promise<CryptoKey> | undefined;
  readonly #fetch: typeof fetch;
  readonly #nowMs: () => number;
  readonly #nonce: () => string;

  constructor(options: RialtoClientOptions) {
    this.#baseUrl = options.baseUrl.replace(/\/$/, '');
    this.#host = new URL(options.baseUrl).host;
    this.#accessKey = options.accessKey ?? '';
    const { secret, signingKey } = options;
    if (signingKey !== undefined) this.#key = Promise.resolve(signingKey);
    else this.#key = secret === undefined ? undefined : importSecret(secret);
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.#nowMs = options.nowMs ?? (() => Date.now());
    this.#nonce = options.nonce ?? (() => crypto.randomUUID());
  }

  account = (request: RequestOf<typeof getAccount> = {}) => this.call(getAccount, request);
  accountNames = () => this.call(getAccountNames, {});
  balances = (request: RequestOf<typeof getBalances> = {}) => this.call(getBalances, request);
  positions = (request: RequestOf<typeof getPositions> = {}) => this.call(getPositions, request);
  accountHistory = (request: RequestOf<typeof getAccountHistory> = {}) =>
    this.call(getAccountHistory, request);
  wallet = (request: RequestOf<typeof getWallet> = {}) => this.call(getWallet, request);
  unfinished = () => this.call(getUnfinished, {});
  transfer = (request: RequestOf<typeof requestTransfer>) => this.call(requestTransfer, request);
  transfers = (request: RequestOf<typeof getTransfers> = {}) => this.call(getTransfers, request);
  depositAddress = (request: RequestOf<typeof getDepositAddress>) =>
    this.call(getDepositAddress, request);
  deposits = (request: RequestOf<typeof getDeposits> = {}) => this.call(getDeposits, request);
  withdrawalAddresses = (request: RequestOf<typeof getWithdrawalAddresses> = {}) =>
    this.call(getWithdrawalAddresses, request);
  withdrawals = (request: RequestOf<typeof getWithdrawals> = {}) =>
    this.call(getWithdrawals, request);
  withdraw = (request: RequestOf<typeof requestWithdrawal>) =>
    this.call(requestWithdrawal, request);
  cancelWithdrawal = (request: RequestOf<typeof cancelWithdrawal>) =>
    this.call(cancelWithdrawal, request);
  withdrawalFee = (request: RequestOf<typeof getWithdrawalFee>) =>
    this.call(getWithdrawalFee, request);
  saveWithdrawalAddress = (request: RequestOf<typeof saveWithdrawalAddress>) =>
    this.call(saveWithdrawalAddress, request);
  removeWithdrawalAddress = (request: RequestOf<typeof removeWithdrawalAddress>) =>
    this.call(removeWithdrawalAddress, request);
  whitelistMode = () => this.call(getWhitelistMode, {});
  setWhitelistMode = (request: RequestOf<typeof setWhitelistMode>) =>
    this.call(setWhitelistMode, request);
  secondFactors = () => this.call(getSecondFactors, {});
  beginSecondFactor = (request: RequestOf<typeof beginSecondFactor>) =>
    this.call(beginSecondFactor, request);
  confirmSecondFactor = (request: RequestOf<typeof confirmSecondFactor>) =>
    this.call(confirmSecondFactor, request);
  removeSecondFactor = (request: RequestOf<typeof removeSecondFactor>) =>
    this.call(removeSecondFactor, request);
  placeOrders = (request: RequestOf<typeof placeOrders>) => this.call(placeOrders, request);
  modifyOrders = (request: RequestOf<typeof modifyOrders>) => this.call(modifyOrders, request);
  cancelOrders = (request: RequestOf<typeof cancelOrders>) => this.call(cancelOrders, request);
  cancelAllOrders = (request: RequestOf<typeof cancelAllOrders> = {}) =>
    this.call(cancelAllOrders, request);
  /** Unsigned: a client without a key signs in, and another takes the key it was given. */
  signIn = (request: RequestOf<typeof signIn>) => this.call(signIn, request);
  openSession = (request: RequestOf<typeof openSession>) => this.call(openSession, request);
  sessions = () => this.call(getSessions, {});
  signOut = (request: RequestOf<typeof signOut> = {}) => this.call(signOut, request);
  acceptInvitation = (request: RequestOf<typeof acceptInvitation>) =>
    this.call(acceptInvitation, request);
  signUp = (request: RequestOf<typeof signUp>) => this.call(signUp, request);
  setPassword = (request: RequestOf<typeof setPassword>) => this.call(setPassword, request);
  apiKeys = () => this.call(getApiKeys, {});
  createApiKey = (request: RequestOf<typeof createApiKey>) => this.call(createApiKey, request);
  revokeApiKey = (request: RequestOf<typeof revokeApiKey>) => this.call(revokeApiKey, request);
  subAccounts = () => this.call(getSubAccounts, {});
  createSubAccount = (request: RequestOf<typeof createSubAccount>) =>
    this.call(createSubAccount, request);
  renameSubAccount = (request: RequestOf<typeof renameSubAccount>) =>
    this.call(renameSubAccount, request);
  freezeSubAccount = (request: RequestOf<typeof freezeSubAccount>) =>
    this.call(freezeSubAccount, request);
  cancelAllAfter = (request: RequestOf<typeof cancelAllAfter>) =>
    this.call(cancelAllAfter, request);
  orderStatus = (request: RequestOf<typeof getOrderStatus>) => this.call(getOrderStatus, request);
  workingOrders = (request: RequestOf<typeof getWorkingOrders> = {}) =>
    this.call(getWorkingOrders, request);
  closedOrders = (request: RequestOf<typeof getClosedOrders> = {}) =>
    this.call(getClosedOrders, request);
  trades = (request: RequestOf<typeof getTrades> = {}) => this.call(getTrades, request);
  funding = (request: RequestOf<typeof getFunding> = {}) => this.call(getFunding, request);
  liquidations = (request: RequestOf<typeof getLiquidations> = {}) =>
    this.call(getLiquidations, request);
  estimateMargin = (request: RequestOf<typeof estimateMargin> = {}) =>
    this.call(estimateMargin, request);
  previewOrder = (order: RequestOf<typeof previewOrder>) => this.call(previewOrder, order);
  markets = (request: RequestOf<typeof getMarkets> = {}) => this.call(getMarkets, request);
  assets = (request: RequestOf<typeof getAssets> = {}) => this.call(getAssets, request);
  tickers = (request: RequestOf<typeof getTickers> = {}) => this.call(getTickers, request);
  candles = (request: RequestOf<typeof getCandles>) => this.call(getCandles, request);
  depth = (request: RequestOf<typeof getDepth>) => this.call(getDepth, request);
  operational = (request: RequestOf<typeof getOperational>) => this.call(getOperational, request);
  exchangeTrades = (request: RequestOf<typeof getExchangeTrades> = {}) =>
    this.call(getExchangeTrades, request);
  fundingEstimates = (request: RequestOf<typeof getFundingEstimates> = {}) =>
    this.call(getFundingEstimates, request);
  fundingRates = (request: RequestOf<typeof getFundingRates> = {}) =>
    this.call(getFundingRates, request);
  leverageTiers = (request: RequestOf<typeof getLeverageTiers> = {}) =>
    this.call(getLeverageTiers, request);
  time = () => this.call(getTime, {});

  /** Any endpoint. Throws RialtoError when the venue refuses. */
  async call<E extends Endpoint>(endpoint: E, request: RequestOf<E>): Promise<ReplyOf<E>> {
    return (await this.send(await this.prepare(endpoint, request))).data;
  }

  /** Signs a request without sending it. */
  async prepare<E extends Endpoint>(endpoint: E, request: RequestOf<E>): Promise<Prepared<E>> {
    const { method, path } = endpoint;
    const isQuery = method === 'GET';
    const query = isQuery ? queryText(request as Record<string, string | undefined>) : '';
    const body = isQuery ? undefined : JSON.stringify(request);
    const url = `${this.#baseUrl}${path}${query === '' ? '' : `?${query}`}`;
    const headers: Record<string, string> = { 'Content-Type': 'application/json' };
    if (endpoint.access !== 'public') {
      Object.assign(headers, await this.#signed(method, path, body ?? query));
    }
    return { endpoint, url, method, headers, body };
  }

  /** Sends what was prepared; sent again, it gets the first response, marked as a repeat. */
  async send<E extends Endpoint>(prepared: Prepared<E>): Promise<Reply<E>> {
    const { url, method, headers, body } = prepared;
    const response = await this.#fetch(url, {
      method,
      headers: { ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const envelope = envelopeOf(await response.text());
    if (envelope?.success !== true) throw failure(response, envelope);
    return {
      data: envelope.data as ReplyOf<E>,
      status: response.status,
      isRepeat: isRepeat(response),
      requestId: response.headers.get('x-request-id') ?? undefined,
    };
  }

  async #signed(method: string, path: string, sixth: string): Promise<Record<string, string>> {
    if (this.#key === undefined) throw new TypeError(`${method} ${path} needs a key and a secret`);
    const timestamp = timestampText(this.#nowMs());
    const nonce = this.#nonce();
    const message = messageToSign({ timestamp, nonce, method, host: this.#host, path, sixth });
    const signature = await hmacBase64(await this.#key, message);
    return { AccessKey: this.#accessKey, Timestamp: timestamp, Nonce: nonce, Signature: signature };
  }
}

type Envelope = {
  readonly success?: unknown;
  readonly data?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
};

function envelopeOf(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A response without an envelope (an empty 401, a proxy's page) still has a status. */
function failure(response: Response, envelope: Envelope | undefined): RialtoError {
  const code = typeof envelope?.code === 'string' ? envelope.code : String(response.status);
  const message = typeof envelope?.message === 'string' ? envelope.message : response.statusText;
  return new RialtoError(response, code, message);
}

const isRepeat = (response: Response): boolean =>
  response.headers.get('idempotent-replayed') === 'true';
