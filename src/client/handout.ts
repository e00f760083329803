/** The part of a handout that is read here: `data/handout.json` of a venue started with `dev`. */
export type HandoutRead = {
  readonly baseUrl: string;
  readonly sandboxToken?: string;
  readonly families: readonly {
    readonly name: string;
    readonly accounts: readonly {
      readonly name: string;
      readonly keys: readonly {
        readonly accessKey: string;
        readonly secret: string;
        readonly permissions: readonly string[];
      }[];
    }[];
  }[];
};

/** Which key of the handout to use. */
export type HandoutChoice = {
  /** By name; the first one by default. */
  readonly family?: string;
  /** By name; `main` by default. */
  readonly account?: string;
  /**
   * Chooses the key with this permission and the fewest others; by default the key with the most permissions.
   * Of several the first: later ones were made by the account itself, for something else.
   */
  readonly permission?: 'read' | 'trade' | 'withdraw';
};

export type HandedOut = {
  readonly baseUrl: string;
  readonly accessKey: string;
  readonly secret: string;
  readonly sandboxToken?: string;
};

/** Address and key from a handout, or from the file that holds it (not in browsers). */
export async function readHandout(
  source: string | URL | HandoutRead,
  { family, account = 'main', permission }: HandoutChoice,
): Promise<HandedOut> {
  const isFile = typeof source === 'string' || source instanceof URL;
  const { baseUrl, sandboxToken, families } = isFile ? await readFile(source) : source;
  const foundFamily = family === undefined ? families[0] : named(families, family);
  if (foundFamily === undefined) throw new Error(`no family ${family ?? ''}: ${listed(families)}`);
  const { accounts } = foundFamily;
  const foundAccount = named(accounts, account);
  if (foundAccount === undefined) {
    throw new Error(`${foundFamily.name} has no account ${account}: ${listed(accounts)}`);
  }
  const byRights = [...foundAccount.keys].sort(
    (one, other) => one.permissions.length - other.permissions.length,
  );
  const key =
    permission === undefined
      ? byRights.find(
          ({ permissions }) => permissions.length === byRights.at(-1)?.permissions.length,
        )
      : byRights.find(({ permissions }) => permissions.includes(permission));
  if (key === undefined) {
    throw new Error(`${foundFamily.name}/${account} has no key that may ${permission ?? 'read'}`);
  }
  const { accessKey, secret } = key;
  return { baseUrl, accessKey, secret, ...(sandboxToken === undefined ? {} : { sandboxToken }) };
}

const named = <Thing extends { readonly name: string }>(
  all: readonly Thing[],
  name: string,
): Thing | undefined => all.find((one) => one.name === name);

const listed = (all: readonly { readonly name: string }[]): string =>
  `there are ${all.map(({ name }) => name).join(', ')}`;

/** Loaded only here, and by a name that bundlers for browsers do not resolve. */
const FILES = 'fs/promises';

async function readFile(file: string | URL): Promise<HandoutRead> {
  const files = (await import(/* webpackIgnore: true */ /* @vite-ignore */ FILES)) as {
    readFile(path: string | URL, encoding: 'utf8'): Promise<string>;
  };
  return JSON.parse(await files.readFile(file, 'utf8')) as HandoutRead;
}
