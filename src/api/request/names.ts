import type { AccountName } from '../../domain/actors.ts';
import { near } from '../../domain/nearest.ts';
import { type Refusal, refuse, shortened } from '../../domain/rejections.ts';
import type { AccountIndex, AssetIndex, FamilyIndex, MarketIndex } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';

/** The market that a read or a cancel-all names, if it names one. */
export const marketFilter = (
  directory: Directory,
  marketCode: string | undefined,
): MarketIndex | Refusal | undefined =>
  marketCode === undefined ? undefined : marketToRead(directory, marketCode);

/** Reads refuse an unknown market with the code of any other parameter. */
export function marketToRead(directory: Directory, marketCode: string): MarketIndex | Refusal {
  const market = namedMarket(directory, marketCode);
  return typeof market === 'number'
    ? market
    : refuse('PARAMETER_INVALID', `marketCode is invalid, ${noMarket(directory, marketCode)}`);
}

export const namedMarket = (directory: Directory, code: string): MarketIndex | Refusal =>
  directory.marketByCode(code) ?? refuse('MARKET_UNKNOWN', noMarket(directory, code));

const noMarket = (directory: Directory, code: string): string =>
  `there is no ${likely(code, codesOf(directory.markets()))}`;

export const namedAsset = (directory: Directory, code: string): AssetIndex | Refusal =>
  directory.assetByCode(code) ?? refuse('ASSET_UNKNOWN', likely(code, codesOf(directory.assets())));

const codesOf = (specs: readonly { readonly code: string }[]): string[] =>
  specs.map(({ code }) => code);

/** An account as an operator names it. */
export function namedHolder(
  directory: Directory,
  { family: familyName, name }: AccountName,
): AccountIndex | Refusal {
  const family = namedFamily(directory, familyName);
  return typeof family === 'number' ? namedAccount(directory, family, name) : family;
}

function namedFamily(directory: Directory, name: string): FamilyIndex | Refusal {
  const found = directory.familyByName(name)?.family;
  if (found !== undefined) return found;
  const names = directory.families().map((family) => family.name);
  return refuse('SUB_ACCOUNT_INVALID', `there is no family ${likely(name, names)}`);
}

/** An account of a family whose other accounts the caller may know. */
export function namedAccount(
  directory: Directory,
  family: FamilyIndex,
  name: string,
): AccountIndex | Refusal {
  return (
    accountByName(directory, family, name) ??
    refuse('SUB_ACCOUNT_INVALID', likely(name, accountNames(directory, family)))
  );
}

export const accountByName = (
  directory: Directory,
  family: FamilyIndex,
  name: string,
): AccountIndex | undefined =>
  directory.family(family).accounts.find((index) => directory.account(index)?.name === name);

export const accountNames = (directory: Directory, family: FamilyIndex): string[] =>
  directory.family(family).accounts.flatMap((index) => directory.account(index)?.name ?? []);

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
