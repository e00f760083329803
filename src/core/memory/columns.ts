/**
 * Reads an element that exists: columns are as long as what they describe, so the compiler's "or undefined"
 * is cast away here. One function for each kind of array, because one for all would be
 * compiled for all of them at every use.
 */
export const numberAt = (column: Float64Array, at: number): number => column[at] as number;
export const indexAt = (column: Int32Array, at: number): number => column[at] as number;
export const codeAt = (column: Uint8Array, at: number): number => column[at] as number;
export const partsAt = (column: BigInt64Array, at: number): bigint => column[at] as bigint;
