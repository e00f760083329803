import type { Static, TSchema } from 'typebox';
import type { OperatorRole, Permission } from '../domain/terms.ts';

/** Who may call: anyone, any key, a key that may trade, a key of the parent account, a key that may withdraw. */
export type TraderAccess =
  | 'public'
  | 'read'
  | 'parent-read'
  | 'trade'
  | 'parent-trade'
  | 'withdraw';

/**
 * Operators have their own credentials; the key of an account is never accepted as one. The sandbox has a
 * token.
 */
export type Access = TraderAccess | 'operator' | 'sandbox';

/** What a key needs for each kind of access; `undefined` only if no key is needed. */
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

/** The maximum length of a body: eight orders with all possible members need a third of it. */
export const BODY_BYTES = 16 * 1_024;

export type Limits = {
  /** The default and the maximum of `limit`. */
  readonly page?: PageLimits;
  /** The maximum number of names in `subAcc`. */
  readonly subAccountsMax?: number;
  /** The maximum body length; `BODY_BYTES` by default. */
  readonly bodyBytes?: number;
  /** A stricter request budget that this call uses, beside the general one. */
  readonly budget?: 'orders' | 'money' | 'estimates';
};

/** Any TObject. Declared by its members, because comparing TObjects is slow to compile. */
export type ObjectSchema = TSchema & {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required: readonly string[] | undefined;
};

/**
 * An endpoint is data: the server mounts it, the client calls it, the documentation lists it and a test
 * checks that each one has a route.
 */
export type Endpoint<
  Request extends ObjectSchema = ObjectSchema,
  Reply extends TSchema = TSchema,
  Who extends Access = Access,
> = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: `/v3/${string}` | `/operator/v1/${string}` | `/sandbox/v1/${string}`;
  /** Other paths with the same behaviour, because existing clients call them. */
  readonly aliases?: readonly `/v3/${string}`[];
  readonly access: Who;
  /** For operators: any of these roles may call it, and so may an `admin`. */
  readonly roles?: readonly OperatorRole[];
  readonly summary: string;
  /** Every number of a request is text here: a query has no other type, and JSON is read exactly. */
  readonly request: Request;
  /** The shape of `data`. */
  readonly reply: Reply;
  /** Members that a success has beside `data`. */
  readonly beside?: Readonly<Record<string, TSchema>>;
  readonly limits?: Limits;
};

export type RequestOf<E extends Endpoint> = Static<E['request']>;
export type ReplyOf<E extends Endpoint> = Static<E['reply']>;

/** Only for type inference. */
export const endpoint = <Q extends ObjectSchema, R extends TSchema, A extends Access>(
  declared: Endpoint<Q, R, A>,
): Endpoint<Q, R, A> => declared;
