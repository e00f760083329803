/**
 * For conditions that only our own bug can break. A caller's mistake is a Refusal, never this. Stays on in
 * production: a venue that stops can be repaired, one that continues with wrong state cannot.
 */
export function assert(holds: boolean, claim: string): asserts holds {
  if (!holds) throw new BrokenInvariant(claim);
}

/** Thrown by an assertion, so that the engine can distinguish our own bug from a full disk. */
export class BrokenInvariant extends Error {
  constructor(claim: string) {
    super(`broken invariant: ${claim}`);
    this.name = 'BrokenInvariant';
  }
}

/** For a `switch` that names every case: a new kind is then a compile error, not a silent default. */
export function unreachable(value: never): never {
  throw new BrokenInvariant(`an unknown case was met: ${String(value)}`);
}
