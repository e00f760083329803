/** Separate from the schemas: threads that only print do not need the schema library. */
export const HOUR_MS = 60 * 60 * 1_000;
export const DAY_MS = 24 * HOUR_MS;
