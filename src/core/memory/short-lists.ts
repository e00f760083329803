/**
 * Lists that hundreds of thousands of records have and that mostly hold one or two elements: `push` and
 * `filter` would allocate room for seventeen in each.
 */

/** The list with one more element, and no spare capacity. */
export const withOne = <Item>(list: readonly Item[], item: Item): Item[] => list.concat([item]);

/** The same list without spare capacity. */
export const trimmed = <Item>(list: readonly Item[]): readonly Item[] => list.slice();
