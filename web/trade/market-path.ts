/** The market in a path. Pure. */

export const addressOf = (marketCode: string): string => `/trade/${encodeURIComponent(marketCode)}`;

/** As it was typed; undefined if the path names none. */
export function nameIn(path: string): string | undefined {
  const name = /^\/trade\/([^/]+)\/?$/.exec(path)?.[1];
  try {
    return name === undefined ? undefined : decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Upper and lower case matter to the venue, but not to whoever types an address. */
export const marketNamed = <Market extends { readonly marketCode: string }>(
  all: readonly Market[],
  name: string,
): Market | undefined =>
  all.find(({ marketCode }) => marketCode === name) ??
  all.find(({ marketCode }) => marketCode.toUpperCase() === name.toUpperCase());
