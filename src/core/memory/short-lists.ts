/**
 * Lists that hundreds of thousands of records have and that mostly hold one or two: `push` and `filter` leave room for
 * seventeen in each.
 */

/** The list with one more, and no room beside. */
export const withOne = <Item>(list: readonly Item[], item: Item): Item[] => list.concat([item]);

/** The same without room for more. */
export const trimmed = <Item>(list: readonly Item[]): readonly Item[] => list.slice();
