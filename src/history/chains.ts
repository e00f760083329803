/**
 * Counts what is added from 0, and finds it again key by key, the smallest key first; under one key
 * in the order it came. Cheaper than sorting: only the keys are sorted, and they are numbers.
 */
export class Chains {
  readonly #next: number[] = [];
  readonly #chainByKey = new Map<number, Chain>();

  get count(): number {
    return this.#next.length;
  }

  /** Returns the number of what was added. */
  add(key: number): number {
    const added = this.#next.push(NONE) - 1;
    const chain = this.#chainByKey.get(key);
    if (chain === undefined) this.#chainByKey.set(key, { first: added, last: added });
    else {
      this.#next[chain.last] = added;
      chain.last = added;
    }
    return added;
  }

  keys(): Float64Array {
    return Float64Array.from(this.#chainByKey.keys()).sort();
  }

  /** NONE for a key that is not there. */
  first(key: number): number {
    return this.#chainByKey.get(key)?.first ?? NONE;
  }

  /** NONE behind the last of a key. */
  next(added: number): number {
    return this.#next[added] ?? NONE;
  }

  clear(): void {
    this.#next.length = 0;
    this.#chainByKey.clear();
  }
}

export const NONE = -1;

type Chain = { readonly first: number; last: number };
