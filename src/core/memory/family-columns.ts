/**
 * The family data that every order and match reads: columns, because each reads two families and would
 * otherwise load a record and its lists for each.
 */
export type FamilyColumns = {
  /** 1 if one of its restrictions keeps the family from trading. */
  isBarred: Uint8Array;
  feeTier: Uint8Array;
  /** What was traded with others on each of the last 30 UTC days, in whole native units; by day mod 30. */
  readonly volumeByDay: BigInt64Array[];
};

export const VOLUME_DAYS = 30;

export const newFamilyColumns = (): FamilyColumns => ({
  isBarred: new Uint8Array(16),
  feeTier: new Uint8Array(16),
  volumeByDay: Array.from({ length: VOLUME_DAYS }, () => new BigInt64Array(16)),
});

/** A new family is in the first tier and has traded nothing. */
export function addFamilyColumns(columns: FamilyColumns, family: number): void {
  if (family >= columns.feeTier.length) grow(columns);
  columns.feeTier[family] = 1;
}

export const feeTierOf = (columns: FamilyColumns, family: number): number =>
  columns.feeTier[family] ?? 1;

/** Of the last 30 days, by day mod 30. */
export const volumesOf = (columns: FamilyColumns, family: number): bigint[] =>
  columns.volumeByDay.map((volumes) => volumes[family] ?? 0n);

function grow(columns: FamilyColumns): void {
  const size = columns.feeTier.length * 2;
  const grown = (column: Uint8Array): Uint8Array => {
    const next = new Uint8Array(size);
    next.set(column);
    return next;
  };
  columns.isBarred = grown(columns.isBarred);
  columns.feeTier = grown(columns.feeTier);
  columns.volumeByDay.forEach((volumes, day) => {
    const next = new BigInt64Array(size);
    next.set(volumes);
    columns.volumeByDay[day] = next;
  });
}
