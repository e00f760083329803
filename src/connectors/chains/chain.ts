import type { AddressFault as TextFault } from '../../domain/addresses.ts';

/**
 * What every chain offers to the venue: addresses, blocks, balances, fees, signing, sending and the status of
 * what was sent. `simulated-chain.ts` and `evm-chain.ts` implement it, and `chain-contract.ts` is one suite
 * for both.
 *
 * A chain keeps nothing that must survive a restart. The caller records what was seen (the cursor of
 * `scan.ts`) and what was signed; every method can be repeated. Methods that ask the node reject only with
 * `ChainUnavailable`: whatever a node does is a temporary obstacle, never an outcome.
 */
export type Chain = {
  /** The name of the network in the venue's catalogue: `Ethereum`. */
  readonly network: string;
  /** Blocks from the one that holds a transaction up to the head, both included, until it is final. */
  readonly confirmations: number;
  /** The maximum number of blocks that one call of `blocks` reads. */
  readonly blocksPerCall: number;

  health(): Promise<ChainHealth>;

  /** Derived from the account's number; needs no node and stores nothing. */
  depositAddress(accountNumber: number): DepositAddress;
  addressOf(wallet: Wallet): string;
  /** Why nothing may be sent there; undefined if it may. Needs no node. */
  checkAddress(address: string, memo?: string): AddressFault | undefined;
  /** Decimals of the coin (no token id) or a token; undefined if the chain does not carry it. */
  decimalsOf(tokenId: TokenId): number | undefined;
  /** From now on transfers to these accounts are reported too. */
  observe(accountNumbers: Iterable<number>): Promise<void>;

  head(): Promise<BlockRef>;
  /** Undefined above the node's head. */
  hashAt(height: number): Promise<string | undefined>;
  /**
   * The blocks of a range with the transfers to observed accounts, ascending, each the parent of the next; at
   * most `blocksPerCall`, and none above the head.
   */
  blocks(fromHeight: number, toHeight: number): Promise<readonly ChainBlock[]>;

  balanceOf(wallet: Wallet, tokenId: TokenId): Promise<bigint>;
  estimateFee(draft: PaymentDraft): Promise<FeeEstimate>;
  /** A higher fee for the same payment, with which nodes replace it; undefined above the fee limit. */
  bumpFee(previous: Fee): Promise<Fee | undefined>;
  /** The fee of signed bytes, so that it can be raised after any restart. */
  feeOf(rawBytes: Uint8Array): Fee;
  /** Counts only the wallet's transactions that are in a block; the caller adds its unconfirmed ones. */
  nextNonce(wallet: Wallet): Promise<number>;
  /** The same payment gives the same bytes. Sends nothing. */
  sign(payment: Payment): Promise<SignedTransaction>;
  /** May be repeated any number of times with the same bytes. */
  broadcast(rawBytes: Uint8Array): Promise<BroadcastOutcome>;
  statusOf(sent: SentPayment): Promise<TransactionStatus>;
};

/** The token's id on its chain, as in the catalogue; undefined is the chain's own coin. */
export type TokenId = string | undefined;

/** The hot wallet pays withdrawals; each deposit address is its own wallet until it is swept. */
export type Wallet =
  | { readonly kind: 'hot' }
  | { readonly kind: 'deposit'; readonly accountNumber: number };
export const HOT: Wallet = { kind: 'hot' };

export type DepositAddress = { readonly address: string; readonly memo?: string };

export type AddressFault =
  | 'ADDRESS_MALFORMED'
  | 'ADDRESS_CHECKSUM_WRONG'
  /** The zero address, a token's contract, or the hot wallet: nobody could use what is sent there. */
  | 'ADDRESS_LOSES_FUNDS'
  | 'MEMO_MISSING'
  | 'MEMO_MALFORMED'
  | 'MEMO_NOT_USED';

/** The faults that the text of an address shows, by the names above. */
export const ADDRESS_FAULTS = {
  malformed: 'ADDRESS_MALFORMED',
  'wrong checksum': 'ADDRESS_CHECKSUM_WRONG',
  'the address of nobody': 'ADDRESS_LOSES_FUNDS',
} as const satisfies Record<TextFault, AddressFault>;

export type BlockRef = { readonly height: number; readonly hash: string };

export type ChainBlock = BlockRef & {
  readonly parentHash: string;
  readonly transfers: readonly Transfer[];
};

/** A payment to an observed account. Network, `txId` and `output` identify it for ever. */
export type Transfer = {
  readonly txId: string;
  /** Its position in the transaction, the same in whichever block the transaction ends up. */
  readonly output: number;
  readonly accountNumber: number;
  readonly address: string;
  readonly memo?: string;
  readonly tokenId: TokenId;
  /** In the chain's smallest parts, above zero. */
  readonly amount: bigint;
  readonly height: number;
  readonly blockHash: string;
};

export type ChainHealth =
  | {
      readonly isReachable: true;
      readonly head: BlockRef;
      /** Blocks that are known to exist and that this node has not reached. */
      readonly behindBlocks: number;
      /** Age of the newest block; undefined if blocks carry no time. */
      readonly headAgeMs: number | undefined;
    }
  | { readonly isReachable: false; readonly fault: ChainFault; readonly reason: string };

/** The maximum units of work of a payment, and the maximum price of each, in parts of the chain's coin. */
export type Fee = {
  readonly unitsMax: bigint;
  readonly pricePerUnit: bigint;
  /** The share of the price that goes to the block producer. */
  readonly tipPerUnit: bigint;
};

export type FeeEstimate = {
  readonly fee: Fee;
  /** The node expects it to fail in the current state: the balance is too low, or the token refuses. */
  readonly isLikelyToFail: boolean;
};

export type PaymentDraft = {
  readonly from: Wallet;
  readonly to: string;
  readonly memo?: string;
  readonly tokenId: TokenId;
  readonly amount: bigint;
  /** Coin for the fees of a sweep: it goes to a deposit address and is not a deposit. */
  readonly isTopUp?: true;
};
export type Payment = PaymentDraft & { readonly nonce: number; readonly fee: Fee };

export type SignedTransaction = { readonly txId: string; readonly rawBytes: Uint8Array };

/** A refusal is never final: the same bytes may still be confirmed, and may be sent again. */
export type BroadcastOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'known' }
  | { readonly kind: 'refused'; readonly reason: string };

/** A payment with every version that was signed for it; they share one nonce. */
export type SentPayment = {
  readonly draft: PaymentDraft;
  readonly nonce: number;
  readonly txIds: readonly string[];
  /** No version can be in a block below this height: the head when the first version was signed. */
  readonly sinceHeight: number;
};

export type TransactionStatus =
  /** No version is known and the nonce is unused: broadcast again. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'pending' }
  | ({ readonly kind: 'confirmed' } & Inclusion)
  /** It is in a block and did not move the funds. */
  | ({ readonly kind: 'reverted' } & Inclusion)
  /** Another transaction of the wallet, named here, used the nonce: no version can ever be confirmed. */
  | ({ readonly kind: 'foreign' } & Inclusion)
  /** The nonce is used, but the node cannot say by what: ask again, or another node. */
  | { readonly kind: 'nonce-used'; readonly reason: string };

export type Inclusion = BlockRef & {
  readonly txId: string;
  /** What the wallet paid for it, in parts of the chain's coin. */
  readonly cost: bigint;
  readonly confirmations: number;
  readonly isFinal: boolean;
};

/** Why the node cannot be used now. */
export type ChainFault =
  | 'down'
  | 'slow'
  | 'wrong-chain'
  | 'behind'
  | 'malformed'
  | 'too-large'
  /** It refused the request: a rate limit, a pruned state, an unknown method. */
  | 'refused'
  /** Its blocks changed while they were read: read again. */
  | 'changed'
  /** Its price is above the configured fee limit. */
  | 'fee-too-high'
  /** The signer failed, not the node. */
  | 'signer';

export class ChainUnavailable extends Error {
  readonly network: string;
  readonly fault: ChainFault;

  constructor(network: string, fault: ChainFault, reason: string) {
    super(`${network} is unavailable (${fault}): ${reason}`);
    this.name = 'ChainUnavailable';
    this.network = network;
    this.fault = fault;
  }
}

/** Derivation uses 31 bits. */
export const ACCOUNT_NUMBER_MAX = 2 ** 31 - 1;

export const confirmationsAt = (height: number, headHeight: number): number =>
  Math.max(0, headHeight - height + 1);

/** A unique text for each transfer on a network: the core credits an id once. */
export const transferId = (network: string, { txId, output }: Transfer): string =>
  `${network}:${txId}:${output}`;
