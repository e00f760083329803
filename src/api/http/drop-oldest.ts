/**
 * Deletes the hundredth of a full table that was added first. Several at once: a map keeps the places of what was
 * deleted until it grows again, and each search for the oldest walks over all of them.
 */
export function dropOldest(map: Map<unknown, unknown>): void {
  let left = Math.ceil(map.size / 100);
  for (const key of map.keys()) {
    if (left-- <= 0) return;
    map.delete(key);
  }
}
