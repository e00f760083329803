/**
 * For what only a bug of ours can break. A caller's mistake is a Refusal, never this.
 * Stays on in production: a venue that stops is repaired, one that goes on wrong is not.
 */
export function assert(holds: boolean, claim: string): asserts holds {
  if (!holds) throw new BrokenInvariant(claim);
}

/** What an assertion throws, so that the engine can tell our own bug from a full disk. */
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
