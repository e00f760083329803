import type { AccountName } from '../../domain/actors.ts';
import { likely } from '../../domain/likely.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
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
