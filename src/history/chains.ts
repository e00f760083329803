/**
 * Numbers added items from 0 and returns them grouped by key, the smallest key first; within a key in the
 * order of adding. Cheaper than sorting the items: only the keys are sorted, and they are numbers.
 */
export class Chains {
  readonly #next: number[] = [];
  readonly #chainByKey = new Map<number, Chain>();

  get count(): number {
    return this.#next.length;
  }

  /** Returns the number of the item. */
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

  /** NONE if the key does not exist. */
  first(key: number): number {
    return this.#chainByKey.get(key)?.first ?? NONE;
  }

  /** NONE after the last item of a key. */
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
