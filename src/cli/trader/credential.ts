import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { RialtoClient } from '../../client/index.ts';
import type { Handout, HandoutKey } from '../handout.ts';
import { noAnswer } from '../no-answer.ts';
import { commandsOf } from '../printing.ts';

/** Selects the account that a command is about. */
export const TRADER_ARGS = {
  handout: {
    type: 'string',
    default: './data/handout.json',
    description:
      'file of `dev` with addresses and keys, or of your own: {"baseUrl", "accessKey", "secret"}',
  },
  family: { type: 'string', description: 'family in the handout; by default the first' },
  account: { type: 'string', description: 'account in the handout; by default the first' },
} as const;

export type TraderNamed = {
  readonly handout: string;
  readonly family?: string | undefined;
  readonly account?: string | undefined;
};

export type Credential = {
  readonly baseUrl: string;
  readonly accessKey: string;
  readonly secret: string;
};

/** The key of the given account with the most permissions. */
export function credentialOf({ handout: file, family, account }: TraderNamed): Credential {
  const path = resolve(file);
  if (!existsSync(path)) {
    throw new Error(
      `${path} is not there: start a venue (rialto dev), or name a file with --handout`,
    );
  }
  const found = JSON.parse(readFileSync(path, 'utf8')) as Partial<Handout & Credential>;
  const { baseUrl, accessKey, secret, families } = found;
  if (baseUrl === undefined) throw new Error(`${path} names no baseUrl`);
  if (accessKey !== undefined && secret !== undefined) return { baseUrl, accessKey, secret };
  if (families === undefined)
    throw new Error(`${path} has neither accessKey and secret nor families`);
  const ofFamily = oneNamed('family', family, families);
  const { keys, name } = oneNamed('account', account, ofFamily.accounts);
  const key = mostPermitted(keys);
  if (key === undefined) throw new Error(`account ${name} has no key in ${path}`);
  return { baseUrl, accessKey: key.accessKey, secret: key.secret };
}

function oneNamed<One extends { readonly name: string }>(
  what: string,
  wanted: string | undefined,
  all: readonly One[],
): One {
  const found = wanted === undefined ? all[0] : all.find(({ name }) => name === wanted);
  if (found !== undefined) return found;
  throw new Error(
    `there is no ${what} ${wanted}; there are ${all.map(({ name }) => name).join(', ')}`,
  );
}

const mostPermitted = (keys: readonly HandoutKey[]): HandoutKey | undefined =>
  keys.toSorted((one, other) => other.permissions.length - one.permissions.length)[0];

/** A command that calls a running venue as a trader does, and prints what comes back. */
export const traderCommand = commandsOf(TRADER_ARGS, async (named: TraderNamed, work) => {
  const credential = credentialOf(named);
  try {
    return await work(new RialtoClient(credential));
  } catch (cause) {
    if (!isFetchFailure(cause)) throw cause;
    throw noAnswer(credential.baseUrl, cause);
  }
});

/** How `fetch` reports a connection that was refused, broken, not trusted, or too slow. */
const isFetchFailure = (cause: unknown): boolean =>
  cause instanceof Error &&
  (cause.name === 'TimeoutError' || (cause instanceof TypeError && cause.cause !== undefined));
