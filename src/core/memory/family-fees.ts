/**
 * What fees ask of families, by family: columns, because every match asks two of them and would else
 * fetch a record and an array of its own for each.
 */
export type FamilyFees = {
  feeTier: Uint8Array;
  /** What was traded with others on each of the last 30 UTC days, in whole native units; by day mod 30. */
  readonly volumeByDay: BigInt64Array[];
};

export const VOLUME_DAYS = 30;

export const newFamilyFees = (): FamilyFees => ({
  feeTier: new Uint8Array(16),
  volumeByDay: Array.from({ length: VOLUME_DAYS }, () => new BigInt64Array(16)),
});

/** A new family is in the first tier and has traded nothing. */
export function addFamilyFees(fees: FamilyFees, family: number): void {
  if (family >= fees.feeTier.length) grow(fees);
  fees.feeTier[family] = 1;
}

export const feeTierOf = (fees: FamilyFees, family: number): number => fees.feeTier[family] ?? 1;

/** Of the last 30 days, by day mod 30. */
export const volumesOf = (fees: FamilyFees, family: number): bigint[] =>
  fees.volumeByDay.map((volumes) => volumes[family] ?? 0n);

function grow(fees: FamilyFees): void {
  const size = fees.feeTier.length * 2;
  const feeTier = new Uint8Array(size);
  feeTier.set(fees.feeTier);
  fees.feeTier = feeTier;
  fees.volumeByDay.forEach((volumes, day) => {
    const grown = new BigInt64Array(size);
    grown.set(volumes);
    fees.volumeByDay[day] = grown;
  });
}
