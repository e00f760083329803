import { type Plain, pack, unpack } from '../bytes/pack.ts';
import type { State } from './state.ts';

/**
 * The state as bytes, and back. The state is plain data, so no field is listed here; only the version of the
 * rules must change with its shape.
 */

/**
 * Increases when the same commands would lead to another state or other events than before, or when the shape
 * of the state changes. A journal is replayed only by the rules that wrote it.
 */
export const RULES_VERSION = 2;

export const snapshotOf = (state: State): Uint8Array => pack(state as unknown as Plain);

export const stateFrom = (bytes: Uint8Array): State => unpack(bytes) as unknown as State;
