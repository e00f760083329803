/** The name with the fewest edits; an abbreviation ("qty") counts as half as many. */
export const nearest = (name: string, names: readonly string[]): string =>
  closest(name, names).name;

/** The same, but only one that could have been meant: at most two of its letters differ, or half of them. */
export function near(name: string, names: readonly string[]): string | undefined {
  const found = closest(name, names);
  return found.steps <= Math.max(2, found.name.length / 2) ? found.name : undefined;
}

type Found = { readonly name: string; readonly steps: number };

function closest(name: string, names: readonly string[]): Found {
  const sent = name.toLowerCase().slice(0, NAME_MAX);
  let best: Found = { name: names[0] ?? '', steps: Number.POSITIVE_INFINITY };
  for (const one of names) {
    const full = one.toLowerCase();
    const steps = editSteps(sent, full) / (isShortOf(sent, full) ? 2 : 1);
    if (steps < best.steps) best = { name: one, steps };
  }
  return best;
}

/** Longer names are not typos. */
const NAME_MAX = 64;

function isShortOf(short: string, full: string): boolean {
  let at = 0;
  for (const letter of full) if (letter === short[at]) at++;
  return at === short.length;
}

/** Levenshtein distance, in one row: `corner` is what stood in it before, one place back. */
function editSteps(from: string, to: string): number {
  const row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const letter = from.charCodeAt(i - 1);
    let corner = i - 1;
    let left = i;
    row[0] = i;
    for (let j = 1; j <= to.length; j++) {
      const above = row[j] as number;
      const change = letter === to.charCodeAt(j - 1) ? corner : corner + 1;
      left = Math.min(change, above + 1, left + 1);
      row[j] = left;
      corner = above;
    }
  }
  return row[to.length] as number;
}
