/**
 * Any EVM chain over a JSON-RPC node: its coin and ERC-20 tokens. Addresses are derived from an extended
 * public key; the key holder signs (`signer.ts`). All EVM networks of a venue may share one
 * key: an account then has one address on all of them.
 *
 * Transactions are of type 2 (EIP-1559). Fees are bounded by `pricePerGasMax` and `gasMax`, whatever a node
 * asks. Known limit: coin that arrives from within a contract is not seen (`evm-blocks.ts`).
 */
import { addressFault, withEvmChecksum } from '../../domain/addresses.ts';
import { assert } from '../../domain/assert.ts';
import {
  ACCOUNT_NUMBER_MAX,
  ADDRESS_FAULTS,
  type AddressFault,
  type BlockRef,
  type BroadcastOutcome,
  type Chain,
  type ChainHealth,
  ChainUnavailable,
  type Fee,
  type FeeEstimate,
  type Payment,
  type PaymentDraft,
  type SignedTransaction,
  type TokenId,
  type Wallet,
} from './chain.ts';
import { evmBlocks, quantityOf } from './evm-blocks.ts';
import { type EvmNode, EvmRpc, NodeRefusal } from './evm-rpc.ts';
import { evmStatus, nonceAt } from './evm-status.ts';
import {
  balanceCall,
  DECIMALS_SELECTOR,
  feeOfBytes,
  hexOf,
  keccak,
  signedBytes,
  signerOf,
  transferCall,
  type UnsignedTransaction,
  unsignedBytes,
  withLowerS,
} from './evm-transaction.ts';
import { bumpedFee, costMax } from './fees.ts';
import {
  ACCOUNT_PATH,
  addressBook,
  depositPath,
  HOT_PATH,
  type Signer,
  SignerRefusal,
} from './signer.ts';

export type EvmSettings = {
  readonly network: string;
  readonly chainId: bigint;
  readonly node: Pick<EvmNode, 'url' | 'headers'> & Partial<EvmNode>;
  readonly xpub: string;
  readonly signer: Signer;
  readonly confirmations: number;
  readonly coinDecimals?: number;
  readonly tokens?: readonly { readonly tokenId: string; readonly decimals: number }[];
  readonly blocksPerCall?: number;
  /** The maximum number of addresses in a request for logs. */
  readonly topicsMax?: number;
  readonly pricePerGasMax?: bigint;
  readonly gasMax?: bigint;
  /** The wall clock, for the age of the head. */
  readonly nowMs: () => number;
};

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;
const COIN_GAS = 21_000n;
/** If the node expects a failure and returns no gas estimate. */
const FALLBACK_GAS = 150_000n;
/** If the node suggests no tip: one gwei. */
const FALLBACK_TIP = 1_000_000_000n;
/** Above this many addresses, all transfers of the tokens are requested instead. */
const TOPICS_MAX = 500;
/** "rialto: top-up" as bytes: an address without code ignores it. */
const TOP_UP_DATA = new TextEncoder().encode('rialto: top-up');
const NO_DATA = new Uint8Array(0);

/** Rejects invalid settings; does not contact the node yet. */
export const evmChain = (settings: EvmSettings): Chain => new EvmChain(settings);

class EvmChain implements Chain {
  readonly network: string;
  readonly confirmations: number;
  readonly blocksPerCall: number;
  readonly #settings: EvmSettings;
  readonly #rpc: EvmRpc;
  readonly #addressBook: ReturnType<typeof addressBook>;
  readonly #hotAddress: string;
  readonly #decimalsByToken: Map<TokenId, number>;
  readonly #tokenByAddress: ReadonlyMap<string, string>;
  readonly #accountByAddress = new Map<string, number>();
  readonly #checkedTokens = new Set<string>();
  #highestHeight = 0;

  constructor(settings: EvmSettings) {
    const { network, confirmations, blocksPerCall = 20, node, tokens = [] } = settings;
    this.network = network;
    this.confirmations = confirmations;
    this.blocksPerCall = blocksPerCall;
    this.#settings = settings;
    const limits = { timeoutMs: TIMEOUT_MS, responseBytesMax: RESPONSE_BYTES_MAX };
    this.#rpc = new EvmRpc(network, settings.chainId, { ...limits, ...node });
    this.#addressBook = addressBook(settings.xpub);
    this.#hotAddress = this.#addressBook.at(HOT_PATH);
    for (const { tokenId } of tokens) {
      if (!/^0x[0-9a-fA-F]{40}$/.test(tokenId) || withEvmChecksum(tokenId) !== tokenId) {
        throw new Error(`${network}: ${tokenId} is no address with its checksum`);
      }
    }
    this.#decimalsByToken = new Map<TokenId, number>([
      [undefined, settings.coinDecimals ?? 18],
      ...tokens.map(({ tokenId, decimals }) => [tokenId, decimals] as const),
    ]);
    this.#tokenByAddress = new Map(tokens.map(({ tokenId: id }) => [id.toLowerCase(), id]));
  }

  async health(): Promise<ChainHealth> {
    try {
      const before = this.#highestHeight;
      const block = await this.#headBlock();
      const head = this.#refOf(block);
      const timeMs = this.#rpc.count(block['timestamp'], 'the time of a block') * 1_000;
      const behindBlocks = Math.max(0, before - head.height, await this.#missingBlocks());
      const headAgeMs = Math.max(0, this.#settings.nowMs() - timeMs);
      return { isReachable: true, head, behindBlocks, headAgeMs };
    } catch (error) {
      if (!(error instanceof ChainUnavailable)) throw error;
      return { isReachable: false, fault: error.fault, reason: error.message };
    }
  }

  depositAddress(accountNumber: number): { readonly address: string } {
    return { address: this.addressOf({ kind: 'deposit', accountNumber }) };
  }

  addressOf(wallet: Wallet): string {
    return wallet.kind === 'hot' ? this.#hotAddress : this.#addressBook.at(pathOf(wallet));
  }

  checkAddress(address: string, memo?: string): AddressFault | undefined {
    const fault = addressFault('evm', address);
    if (fault !== undefined) return ADDRESS_FAULTS[fault];
    const isToken = this.#tokenByAddress.has(address.toLowerCase());
    if (isToken || address.toLowerCase() === this.#hotAddress.toLowerCase()) {
      return 'ADDRESS_LOSES_FUNDS';
    }
    return memo === undefined ? undefined : 'MEMO_NOT_USED';
  }

  decimalsOf(tokenId: TokenId): number | undefined {
    return this.#decimalsByToken.get(tokenId);
  }

  async observe(accountNumbers: Iterable<number>): Promise<void> {
    for (const accountNumber of accountNumbers) {
      const { address } = this.depositAddress(accountNumber);
      this.#accountByAddress.set(address.toLowerCase(), accountNumber);
      // Deriving an address takes one to two milliseconds: yield after each.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async head(): Promise<BlockRef> {
    return this.#refOf(await this.#headBlock());
  }

  async hashAt(height: number): Promise<string | undefined> {
    const block = await this.#rpc.ask('eth_getBlockByNumber', [quantityOf(height), false]);
    return block === undefined ? undefined : this.#refOf(this.#rpc.record(block, 'a block')).hash;
  }

  async blocks(fromHeight: number, toHeight: number) {
    await this.#checkTokens();
    const { height } = await this.head();
    const last = Math.min(toHeight, fromHeight + this.blocksPerCall - 1, height);
    const observed = {
      accountByAddress: this.#accountByAddress,
      tokenByAddress: this.#tokenByAddress,
      hotAddress: this.#hotAddress,
      topUpData: hexOf(TOP_UP_DATA),
      topicsMax: this.#settings.topicsMax ?? TOPICS_MAX,
    };
    return evmBlocks(this.#rpc, observed, { fromHeight, toHeight: last });
  }

  async balanceOf(wallet: Wallet, tokenId: TokenId): Promise<bigint> {
    const address = this.addressOf(wallet);
    if (tokenId === undefined) {
      return this.#rpc.quantity(
        await this.#rpc.ask('eth_getBalance', [address, 'latest']),
        'a balance',
      );
    }
    await this.#checkTokens();
    return this.#call(tokenId, balanceCall(address), 'a balance');
  }

  async estimateFee(draft: PaymentDraft): Promise<FeeEstimate> {
    const price = await this.#currentPrice();
    if (price.pricePerUnit > this.#pricePerGasMax) {
      const message = `the node asks ${price.pricePerUnit} for gas, the limit is ${this.#pricePerGasMax}`;
      throw this.#rpc.failure('fee-too-high', message);
    }
    const { to, value, data } = this.#contentOf(draft);
    const from = this.addressOf(draft.from);
    const question = { from, to, value: quantityOf(value), data: hexOf(data) };
    try {
      const gas = this.#rpc.quantity(await this.#rpc.ask('eth_estimateGas', [question]), 'gas');
      const unitsMax = gas <= COIN_GAS ? COIN_GAS : this.#withRoom(gas);
      const fee = { unitsMax, ...price };
      const isShort = (await this.balanceOf(draft.from, undefined)) < value + costMax(fee);
      return { fee, isLikelyToFail: isShort };
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error;
      return { fee: { unitsMax: FALLBACK_GAS, ...price }, isLikelyToFail: true };
    }
  }

  async bumpFee(previous: Fee): Promise<Fee | undefined> {
    return bumpedFee(previous, await this.#currentPrice(), this.#pricePerGasMax);
  }

  feeOf(rawBytes: Uint8Array): Fee {
    return feeOfBytes(rawBytes);
  }

  async nextNonce(wallet: Wallet): Promise<number> {
    const { height } = await this.head();
    return nonceAt(this.#rpc, this.addressOf(wallet), height);
  }

  async sign(payment: Payment): Promise<SignedTransaction> {
    assert(payment.amount > 0n, 'a payment is above zero');
    if (payment.fee.pricePerUnit > this.#pricePerGasMax) {
      throw this.#rpc.failure('fee-too-high', `${payment.fee.pricePerUnit} is above the limit`);
    }
    const { from, nonce, fee, tokenId } = payment;
    const transaction: UnsignedTransaction = {
      chainId: this.#settings.chainId,
      nonce,
      tipPerGas: fee.tipPerUnit,
      pricePerGas: fee.pricePerUnit,
      gasMax: fee.unitsMax,
      ...this.#contentOf(payment),
    };
    const unsigned = unsignedBytes(transaction);
    const digest = keccak(unsigned);
    const address = this.addressOf(from);
    const signature = await this.#signature({
      version: 1,
      network: this.network,
      wallet: from.kind === 'hot' ? 'hot' : `account ${from.accountNumber}`,
      path: [ACCOUNT_PATH, ...pathOf(from)].join('/'),
      address,
      to: payment.to,
      tokenId: tokenId ?? null,
      amount: payment.amount.toString(),
      nonce,
      unsigned: hexOf(unsigned),
      digest: hexOf(digest),
    });
    if (signerOf(digest, signature) !== address) {
      throw this.#rpc.failure('signer', `the signature is not by ${address}`);
    }
    const rawBytes = signedBytes(transaction, signature);
    return { txId: hexOf(keccak(rawBytes)), rawBytes };
  }

  async broadcast(rawBytes: Uint8Array): Promise<BroadcastOutcome> {
    try {
      await this.#rpc.ask('eth_sendRawTransaction', [hexOf(rawBytes)]);
      return { kind: 'accepted' };
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error;
      if (/already known|already imported|known transaction/i.test(error.nodeMessage)) {
        return { kind: 'known' };
      }
      return (await this.#isKnown(hexOf(keccak(rawBytes))))
        ? { kind: 'known' }
        : { kind: 'refused', reason: error.nodeMessage };
    }
  }

  async statusOf(sent: Parameters<Chain['statusOf']>[0]) {
    const { height: headHeight } = await this.head();
    const address = this.addressOf(sent.draft.from);
    const { confirmations } = this;
    return evmStatus({ rpc: this.#rpc, address, sent, headHeight, confirmations });
  }

  get #pricePerGasMax(): bigint {
    return this.#settings.pricePerGasMax ?? 500_000_000_000n;
  }

  async #headBlock(): Promise<Readonly<Record<string, unknown>>> {
    // In each round: a provider may have put another node behind the address.
    await this.#rpc.checkChain();
    const answer = await this.#rpc.ask('eth_getBlockByNumber', ['latest', false]);
    const block = this.#rpc.record(answer, 'the head');
    this.#highestHeight = Math.max(this.#highestHeight, this.#refOf(block).height);
    return block;
  }

  #refOf(block: Readonly<Record<string, unknown>>): BlockRef {
    return {
      height: this.#rpc.count(block['number'], 'the height of a block'),
      hash: this.#rpc.hash(block['hash'], 'the hash of a block'),
    };
  }

  async #missingBlocks(): Promise<number> {
    const answer = await this.#callOptional('eth_syncing');
    if (answer === undefined || answer === false) return 0;
    const { currentBlock, highestBlock } = this.#rpc.record(answer, 'the state of syncing');
    const [at, of] = [currentBlock, highestBlock].map((it) => this.#rpc.count(it, 'a height'));
    return Math.max(0, (of as number) - (at as number));
  }

  /** A token with other decimals than configured would be credited wrongly by powers of ten. */
  async #checkTokens(): Promise<void> {
    for (const [tokenId, decimals] of this.#decimalsByToken) {
      if (tokenId === undefined || this.#checkedTokens.has(tokenId)) continue;
      const found = await this.#call(tokenId, DECIMALS_SELECTOR, 'decimals');
      if (found !== BigInt(decimals)) {
        const reason = `token ${tokenId} has ${found} decimals, configured are ${decimals}`;
        throw this.#rpc.failure('malformed', reason);
      }
      this.#checkedTokens.add(tokenId);
    }
  }

  async #call(to: string, data: string, what: string): Promise<bigint> {
    return this.#rpc.quantity(await this.#rpc.ask('eth_call', [{ to, data }, 'latest']), what);
  }

  async #isKnown(txId: string): Promise<boolean> {
    return (await this.#rpc.ask('eth_getTransactionByHash', [txId])) !== undefined;
  }

  /** Twice the base fee: it rises by at most an eighth per block, so this lasts for six full blocks. */
  async #currentPrice(): Promise<Pick<Fee, 'pricePerUnit' | 'tipPerUnit'>> {
    const { baseFeePerGas } = await this.#headBlock();
    const base = this.#rpc.quantity(baseFeePerGas, 'the base fee');
    const tip = await this.#callOptional('eth_maxPriorityFeePerGas');
    const tipPerUnit = tip === undefined ? FALLBACK_TIP : this.#rpc.quantity(tip, 'a tip');
    return { pricePerUnit: base * 2n + tipPerUnit, tipPerUnit };
  }

  /** Some nodes do not know every method: undefined if it is refused. */
  async #callOptional(method: string): Promise<unknown> {
    try {
      return await this.#rpc.ask(method, []);
    } catch (error) {
      if (error instanceof NodeRefusal) return undefined;
      throw error;
    }
  }

  #withRoom(gas: bigint): bigint {
    const wanted = gas + gas / 4n;
    const most = this.#settings.gasMax ?? 300_000n;
    return wanted < most ? wanted : most;
  }

  #contentOf({ to, tokenId, amount, isTopUp, memo }: PaymentDraft) {
    // A sweep goes to the hot wallet, which is refused as a destination for everybody else.
    const isChecked = to === this.#hotAddress || this.checkAddress(to, memo) === undefined;
    assert(isChecked, 'a payment goes to a checked address');
    assert(this.#decimalsByToken.has(tokenId), 'a payment is in the coin or a known token');
    if (tokenId !== undefined) return { to: tokenId, value: 0n, data: transferCall(to, amount) };
    return { to, value: amount, data: isTopUp === true ? TOP_UP_DATA : NO_DATA };
  }

  async #signature(request: Parameters<Signer['sign']>[0]) {
    try {
      return withLowerS(await this.#settings.signer.sign(request));
    } catch (error) {
      if (error instanceof SignerRefusal) throw this.#rpc.failure('signer', error.message);
      throw error;
    }
  }
}

function pathOf(wallet: Wallet): readonly [number, number] {
  if (wallet.kind === 'hot') return HOT_PATH;
  const { accountNumber } = wallet;
  const isValid = Number.isInteger(accountNumber) && accountNumber >= 0;
  assert(isValid && accountNumber <= ACCOUNT_NUMBER_MAX, 'an account number has 31 bits');
  return depositPath(accountNumber);
}
