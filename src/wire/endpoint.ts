import type { Static, TSchema } from 'typebox';
import type { OperatorRole, Permission } from '../domain/terms.ts';

/** Who may call: anyone, any key, one that may trade, one of the parent account, one that may withdraw. */
export type TraderAccess =
  | 'public'
  | 'read'
  | 'parent-read'
  | 'trade'
  | 'parent-trade'
  | 'withdraw';

/** Operators have credentials of their own; no key of an account is ever taken for one. The sandbox has a token. */
export type Access = TraderAccess | 'operator' | 'sandbox';

/** What a key needs for each kind of access; `undefined` only where no key is asked for. */
export const ACCESS_NEEDS: Record<
  TraderAccess,
  { readonly permission: Permission; readonly parentOnly: boolean } | undefined
> = {
  public: undefined,
  read: { permission: 'read', parentOnly: false },
  'parent-read': { permission: 'read', parentOnly: true },
  trade: { permission: 'trade', parentOnly: false },
  'parent-trade': { permission: 'trade', parentOnly: true },
  withdraw: { permission: 'withdraw', parentOnly: true },
};

export type PageLimits = { readonly default: number; readonly max: number };

/** How long a body may be: eight orders with every member they can have need a third of it. */
export const BODY_BYTES = 16 * 1_024;

export type Limits = {
  /** What `limit` is when it is absent, and the most it can be. */
  readonly page?: PageLimits;
  /** The most names that `subAcc` may hold. */
  readonly subAccountsMax?: number;
  /** The longest body it takes; `BODY_BYTES` where it says nothing. */
  readonly bodyBytes?: number;
  /** A stricter budget of requests that this call draws on, beside the general one. */
  readonly budget?: 'orders' | 'money' | 'estimates';
};

/** Any TObject. Said by its members, because comparing TObjects takes the compiler long. */
export type ObjectSchema = TSchema & {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required: readonly string[] | undefined;
};

/**
 * An endpoint is data: the server mounts it, the client calls it, the documents print it and a test
 * walks the list to find one without a route.
 */
export type Endpoint<
  Request extends ObjectSchema = ObjectSchema,
  Reply extends TSchema = TSchema,
  Who extends Access = Access,
> = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: `/v3/${string}` | `/operator/v1/${string}` | `/sandbox/v1/${string}`;
  /** Other paths that answer alike, because clients in the field call them. */
  readonly aliases?: readonly `/v3/${string}`[];
  readonly access: Who;
  /** Of operators: any of these may call it, and so may an `admin`. */
  readonly roles?: readonly OperatorRole[];
  readonly summary: string;
  /** Every number of a request is text here: the query has no other kind, and JSON is read exactly. */
  readonly request: Request;
  /** The shape of `data`. */
  readonly reply: Reply;
  readonly limits?: Limits;
};

export type RequestOf<E extends Endpoint> = Static<E['request']>;
export type ReplyOf<E extends Endpoint> = Static<E['reply']>;

/** Only gives the types to the compiler. */
export const endpoint = <Q extends ObjectSchema, R extends TSchema, A extends Access>(
  declared: Endpoint<Q, R, A>,
): Endpoint<Q, R, A> => declared;
