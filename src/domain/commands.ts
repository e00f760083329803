import type { AccessCommand } from './access-commands.ts';
import type { AccountName, ByOperator, SignedBy } from './actors.ts';
import type { AssetSpec, LeverageTier, MarketSpec, NetworkSpec, PriceGrid } from './market.ts';
import type { Amendment, OrderRef, OrderRequest } from './orders.ts';
import type { Refusal } from './rejections.ts';
import type {
  AccountType,
  Fund,
  MarketState,
  OperatorRole,
  Permission,
  Restriction,
} from './terms.ts';
import type {
  AccountIndex,
  Amount,
  AssetIndex,
  MarketIndex,
  Sequence,
  TimeMs,
  UsdPrice,
} from './units.ts';
import type {
  EnrolFactor,
  RequestWithdrawal,
  SaveAddress,
  WalletCommand,
} from './wallet-commands.ts';

/**
 * Every command of the venue. A command is plain data: it is written to the journal as it is and replayed for
 * ever, so an optional field may be added, but no field may change its meaning.
 */
export type Command =
  | Genesis
  | DefineAsset
  | DefineNetwork
  | DefineMarket
  | CreateAccount
  | CreateKey
  | RevokeKey
  | SetRestrictions
  | SetIndexPrices
  | Transfer
  | PlaceOrders
  | CancelOrders
  | CancelAll
  | CancelAllAfter
  | ModifyOrders
  | SetMarketState
  | SetBackstop
  | SetOrderLimits
  | SetPrice
  | ChangeMarket
  | CancelMarket
  | MoveFunds
  | NoteOperator
  | NoteBackup
  | NoteRefusal
  | Tick
  | Restart
  | StepClock
  | Continue
  | WalletCommand
  | AccessCommand;

/** Commands that name their actor, except genesis: operators, and the engine itself as `clock`. */
export type OperatorCommand = Extract<
  Command,
  {
    readonly kind:
      | 'define-asset'
      | 'define-network'
      | 'define-market'
      | 'create-account'
      | 'create-key'
      | 'invite-user'
      | 'revoke-key'
      | 'set-restrictions'
      | 'set-market-state'
      | 'set-backstop'
      | 'set-order-limits'
      | 'set-price'
      | 'change-market'
      | 'cancel-market'
      | 'move-funds'
      | 'note-operator'
      | 'note-backup'
      | 'step-clock'
      | 'operate-withdrawal'
      | 'operate-deposit'
      | 'set-withdrawal-limits'
      | 'set-network-state'
      | 'set-withdrawal-fee'
      | 'release-withdrawal-fee'
      | 'reset-factor'
      | 'note-rescan'
      | 'note-refusal';
  }
>;

/** A sequenced command: the sequencer assigns its number and time. */
export type Stamped = {
  readonly sequence: Sequence;
  readonly timeMs: TimeMs;
  readonly command: Command;
};

/** The first command of a venue: all or nothing, so a crash cannot leave half a venue. */
export type Genesis = {
  readonly kind: 'genesis';
  readonly steps: readonly GenesisStep[];
};

export type GenesisStep =
  | SetupCommand
  | CreditGenesis
  | FundHolder
  | WaiveDelays
  | SetRestrictions
  | SaveAddress
  | RequestWithdrawal
  | EnrolFactor;

export type SetupCommand =
  | DefineAsset
  | DefineNetwork
  | DefineMarket
  | CreateAccount
  | CreateKey
  | SetIndexPrices;

/** Funds for demo and test accounts. They come from the outside purse, and only genesis may create them. */
export type CreditGenesis = {
  readonly kind: 'credit-genesis';
  readonly account: AccountName;
  readonly asset: string;
  readonly amount: Amount;
};

/** Initial balance of a fund of a demo or test venue. As above: from outside, genesis only. */
export type FundHolder = {
  readonly kind: 'fund-insurance' | 'fund-network-costs';
  readonly asset: string;
  readonly amount: Amount;
};

/** A demo family: new addresses, removed factors and new keys take effect immediately, not a day later. */
export type WaiveDelays = { readonly kind: 'waive-delays'; readonly family: string };

export type DefineAsset = {
  readonly kind: 'define-asset';
  readonly actor: string;
  readonly asset: AssetSpec;
};
export type DefineNetwork = {
  readonly kind: 'define-network';
  readonly actor: string;
  readonly network: NetworkSpec;
};
export type DefineMarket = {
  readonly kind: 'define-market';
  readonly actor: string;
  readonly market: MarketSpec;
};

/** Creates the family with its `main` account, or another sub-account of it. */
export type CreateAccount = ByOperator & {
  readonly kind: 'create-account';
  readonly account: AccountName;
  readonly accountType: AccountType;
};

export type CreateKey = ByOperator & {
  readonly kind: 'create-key';
  readonly account: AccountName;
  readonly accessKey: string;
  /** The secret, sealed with the master key: the journal never holds it in the clear. */
  readonly sealedSecret: Uint8Array;
  readonly permissions: readonly Permission[];
  readonly label?: string;
  readonly expiresAtMs?: number;
  /** Addresses from which the key may be used; absent means any. */
  readonly addresses?: readonly string[];
};

export type RevokeKey = ByOperator & {
  readonly kind: 'revoke-key';
  readonly accessKey: string;
};

/** Replaces the whole set: of the family, or of one sub-account (`inactive` only). */
export type SetRestrictions = ByOperator & {
  readonly kind: 'set-restrictions';
  readonly family: string;
  readonly subAccount?: string;
  readonly restrictions: readonly Restriction[];
};

/** One round of index prices for all assets; each at most once. */
export type SetIndexPrices = {
  readonly kind: 'set-index-prices';
  readonly prices: readonly IndexPrice[];
};
export type IndexPrice = {
  readonly asset: string;
  readonly price: UsdPrice;
  /** Set by an operator: it may differ from the last price by any factor. */
  readonly byOperator?: true;
};

export type Transfer = {
  readonly kind: 'transfer';
  readonly by: SignedBy;
  readonly asset: AssetIndex;
  readonly amount: Amount;
  readonly from: AccountIndex;
  readonly to: AccountIndex;
};

/** When a command is too late: an order that reaches the engine after timestamp + recvWindow is refused. */
export type Lateness = { readonly lateAfterMs?: number; readonly recvWindowMs?: number };

/** Up to eight orders of one signed request. Each is accepted or refused by itself. */
export type PlaceOrders = Lateness & {
  readonly kind: 'place-orders';
  readonly by: SignedBy;
  /** Where they came from, as a source code of the interface: REST, websocket, page. */
  readonly source: number;
  readonly orders: readonly OrderRequest[];
};

export type CancelOrders = Lateness & {
  readonly kind: 'cancel-orders';
  readonly by: SignedBy;
  readonly orders: readonly OrderRef[];
};

export type CancelAll = {
  readonly kind: 'cancel-all';
  readonly by: SignedBy;
  readonly market?: MarketIndex;
  /**
   * The venue does what the key asked for when it opened a connection that has now ended. The key may have
   * expired or been revoked since; that may be why it ended.
   */
  readonly afterDisconnect?: true;
};

/**
 * A dead-man switch: cancels all orders of the account, or of one market, unless another such command comes
 * within this time. Each replaces the previous one for the same market; 0 disarms it.
 */
export type CancelAllAfter = {
  readonly kind: 'cancel-all-after';
  readonly by: SignedBy;
  readonly market?: MarketIndex;
  readonly timeoutMs: number;
};

export type ModifyOrders = Lateness & {
  readonly kind: 'modify-orders';
  readonly by: SignedBy;
  readonly orders: readonly Amendment[];
};

export type SetMarketState = ByOperator & {
  readonly kind: 'set-market-state';
  readonly market: string;
  readonly state: MarketState;
  readonly reason: string;
};

/** Does pending work of earlier commands. Only the sequencer issues it. */
export type Continue = { readonly kind: 'continue' };

/** Makes an account a backstop provider of a market, up to a size; 0 ends it. */
export type SetBackstop = ByOperator & {
  readonly kind: 'set-backstop';
  readonly account: AccountName;
  readonly market: string;
  readonly maxLots: number;
};

/** The maximum number of open orders of an account: per market, and in all. Existing ones stay. */
export type SetOrderLimits = ByOperator & {
  readonly kind: 'set-order-limits';
  readonly perMarket: number;
  readonly inAll: number;
};

/** An operator's price: by any factor, and without waiting for the next round to confirm a jump. */
export type SetPrice = ByOperator & {
  readonly kind: 'set-price';
  readonly asset: string;
  readonly price: UsdPrice;
  readonly reason: string;
};

/** New terms of a market, which must be halted and have neither orders nor positions. */
export type ChangeMarket = ByOperator & {
  readonly kind: 'change-market';
  readonly market: string;
  readonly tiers?: readonly LeverageTier[];
  readonly grid?: PriceGrid;
  readonly reason: string;
};

/** Cancels orders of a market, halted or not, as many as one command may: see WORK_BOUNDS. */
export type CancelMarket = ByOperator & {
  readonly kind: 'cancel-market';
  readonly market: string;
  readonly reason: string;
};

/**
 * Moves funds of one asset from a purse of the venue or an account to a purse of the venue, or from a purse to an
 * account, which takes two operators: none are created.
 */
export type MoveFunds = ByOperator & {
  readonly kind: 'move-funds';
  readonly from: Fund | AccountName;
  readonly to: Fund | AccountName;
  readonly asset: string;
  readonly amount: Amount;
  readonly reason: string;
};

/** The record of a backup that an operator has taken. */
export type NoteBackup = ByOperator & { readonly kind: 'note-backup'; readonly folder: string };

/** An operator's attempt that was refused: it is recorded in the audit log, and has no other effect. */
export type NoteRefusal = {
  readonly kind: 'note-refusal';
  readonly actor: string;
  /** The endpoint, what was sent to it, and why it was refused. */
  readonly act: string;
  readonly subject: string;
  readonly reason: string;
};

/** Operators are stored outside the journal (src/operators.ts); this records a change of them. */
export type NoteOperator = ByOperator & {
  readonly kind: 'note-operator';
  readonly name: string;
  /** Its roles from now on; empty if it is disabled. */
  readonly roles: readonly OperatorRole[];
  /** Why it cannot be done: then this is the refusal. */
  readonly fault?: Refusal;
};

/** Time passes: once a second, and when a liquidation step is due. Only the ticker issues it. */
export type Tick = { readonly kind: 'tick' };

/** The venue has restarted: earlier prices do not count. Only the engine issues it. */
export type Restart = { readonly kind: 'restart' };

/**
 * The wall clock is ahead, and its time is adopted in one step: earlier prices do not count. Issued by the
 * engine (actor `clock`), or by an operator for a jump that is too large for that.
 */
export type StepClock = {
  readonly kind: 'step-clock';
  readonly actor: string;
  readonly fromMs: number;
  readonly toMs: number;
};
