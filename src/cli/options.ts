import { nearest } from '../domain/nearest.ts';

/** Options are text; they are checked here, with messages a person can act on. */
export function wholeNumber(name: string, text: string, max: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= max)) throw new Error(`${name} is a whole number from 0 to ${max}, not ${text}`);
  return value;
}

/** An empty one is a script's variable that was not set. */
export function notEmpty(name: string, text: string): string {
  if (text === '') throw new Error(`${name} is empty; leave it out for its default`);
  return text;
}

export function onOff(name: string, text: string): boolean {
  if (text === 'on') return true;
  if (text === 'off') return false;
  throw new Error(`${name} is on or off, not ${text}`);
}

export function oneOf<const Word extends string>(
  name: string,
  words: readonly Word[],
  text: string,
): Word {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new Error(`${name} is one of ${words.join(', ')}, not ${text}`);
  return found;
}

type Given = { readonly _?: readonly string[] };
type Known = Readonly<Record<string, { readonly type?: string }>>;

/** A misspelt option must not be ignored: it might have named another account. Nor a word too many: a price, say. */
export function refuseUnknown(given: Given, known: Known): void {
  // The parser returns `allow-clock-behind` as allowClockBehind, too.
  const plain = (name: string): string => name.replace(/-/g, '').toLowerCase();
  const accepted = new Set(Object.keys(known).map(plain));
  for (const name of Object.keys(given)) {
    if (name === '_' || accepted.has(plain(name))) continue;
    const list = Object.keys(known).map((one) => `--${one}`);
    if (list.length === 0) throw new Error(`there is no option --${name}: this command has none`);
    const meant = nearest(name, Object.keys(known));
    throw new Error(
      `there is no option --${name}; did you mean --${meant}? There are ${list.join(' ')}`,
    );
  }
  const names = Object.keys(known);
  const isPlace = (name: string): boolean => known[name]?.type === 'positional';
  const places = names.filter(isPlace).map((name) => name.toUpperCase());
  const tooMany = given._?.[places.length];
  if (tooMany === undefined) return;
  const options = names.filter((name) => !isPlace(name)).map((name) => `--${name}`);
  const all = [...places, ...options];
  throw new Error(
    `${tooMany} is one word too many; there ${all.length === 0 ? 'is none' : `are ${all.join(' ')}`}`,
  );
}
