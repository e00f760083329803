/** How many sub-accounts one request may name. */
const NAMES_MAX = 10;

/** The requests that together name all of them; one without names for an account without sub-accounts. */
export function namesInTurn(names: readonly string[]): readonly { readonly subAcc?: string }[] {
  if (names.length === 0) return [{}];
  return Array.from({ length: Math.ceil(names.length / NAMES_MAX) }, (_, turn) => ({
    subAcc: names.slice(turn * NAMES_MAX, (turn + 1) * NAMES_MAX).join(','),
  }));
}
