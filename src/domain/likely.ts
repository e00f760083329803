import { near } from './nearest.ts';
import { shortened } from './rejections.ts';

/** A request may hold many wrong names, and a venue many right ones. */
const COMPARED_MAX = 50;
/** What is longer is no typing error. */
const SENT_MAX = 40;

/** The name sent, and the one that was probably meant. */
export function likely(sent: string, names: readonly string[]): string {
  const meant = sent.length > SENT_MAX ? undefined : meantBy(sent, names);
  return `${shortened(sent)}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/**
 * The same name in other letters ("btc/usdt"), or the nearest of those that begin alike: typing errors rarely stand
 * at the beginning, and comparing only so many bounds the work.
 */
function meantBy(sent: string, names: readonly string[]): string | undefined {
  const initial = initialOf(sent);
  const plain = plainName(sent);
  const alike: string[][] = [];
  for (const name of names) {
    if (initialOf(name) !== initial) continue;
    const other = plainName(name);
    if (plain === other && plain !== '') return name;
    const letters = commonLetters(plain, other);
    alike[letters] ??= [];
    alike[letters].push(name);
  }
  return near(sent, alike.reverse().flat().slice(0, COMPARED_MAX));
}

/** Of an ASCII letter, whichever its case. */
const initialOf = (name: string): number => name.charCodeAt(0) | 0x20;

const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** At the beginning. */
function commonLetters(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
