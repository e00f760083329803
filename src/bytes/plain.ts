/** What may be packed, and the tag with which each kind begins in packed bytes; see `pack.ts`. */
export type Plain =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Int32Array
  | Uint32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array
  | readonly Plain[]
  | ReadonlyMap<string | number | bigint, Plain>
  | { readonly [name: string]: Plain };

export const TAG = {
  undefined: 0,
  null: 1,
  true: 2,
  false: 3,
  positive: 4,
  negative: 5,
  positiveBig: 6,
  negativeBig: 7,
  text: 8,
  list: 9,
  map: 10,
  record: 11,
  typed: 12,
  /** Another view of the buffer of a typed array that was packed before. */
  view: 13,
} as const;

/** The position in this list is part of the format: only ever append. */
export const TYPED_ARRAYS = [
  Uint8Array,
  Int32Array,
  Uint32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  Uint16Array,
  Int16Array,
  Int8Array,
] as const;
export type TypedArray = InstanceType<(typeof TYPED_ARRAYS)[number]>;
