/**
 * Deletes those that were added first. Several at once: a map keeps the places of what was deleted until it grows
 * again, and each search for the oldest walks over all of them.
 */
export function dropOldest<Key>(map: Map<Key, unknown>, count: number): void {
  let left = count;
  for (const key of map.keys()) {
    if (left-- <= 0) return;
    map.delete(key);
  }
}
