import { readFileSync } from 'node:fs';
import { type Static, Type } from 'typebox';
import { nearest } from './domain/nearest.ts';
import type { PostgresPlace } from './history/history.ts';

/** History on a PostgreSQL server. Its password is in a file or in RIALTO_HISTORY_PASSWORD, never in the address. */
export const HistoryFile = Type.Object(
  {
    /** postgres://user@host:port/database, with sslmode and sslrootcert on networks of others. */
    postgres: Type.String(),
    passwordFile: Type.Optional(Type.String({ minLength: 1 })),
    /** The namespace of its tables. */
    schema: Type.Optional(Type.String()),
    /** Connections for reads, per reading thread. */
    connections: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  },
  { additionalProperties: false },
);

const DEFAULT_SCHEMA = 'rialto';
const DEFAULT_CONNECTIONS = 8;

/** Refuses what would fail at the start, without asking the server. */
export function historyOf(
  found: Static<typeof HistoryFile>,
  at: (path: string) => string,
): PostgresPlace {
  const { postgres: url, passwordFile, schema = DEFAULT_SCHEMA } = found;
  const fault = urlFault(url);
  if (fault !== undefined) throw new Error(`history.postgres ${fault}`);
  // The tables of an older version are dropped together with everything else in it, so it must be ours alone.
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(schema) || /^(pg_|public$|information_schema$)/.test(schema)) {
    throw new Error(
      'history.schema is a name of its own: small letters, digits and _, like rialto; not public',
    );
  }
  const password =
    passwordFile === undefined
      ? process.env['RIALTO_HISTORY_PASSWORD']
      : fileText('history.passwordFile', at(passwordFile)).trimEnd();
  return { url, password, schema, connections: found.connections ?? DEFAULT_CONNECTIONS };
}

/** Never quotes the address: it may hold the password that it is refused for. */
function urlFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol) || url.hostname === '') {
    return 'is an address like postgres://user@host:5432/database';
  }
  if (url.password !== '' || url.searchParams.has('password')) {
    return 'holds a password: put it into history.passwordFile or RIALTO_HISTORY_PASSWORD';
  }
  if (url.username === '') return 'names no user: postgres://user@host:5432/database';
  if (url.pathname.length < 2) return 'names no database: postgres://user@host:5432/database';
  return parameterFault(url.searchParams);
}

/** What the driver knows; it ignores all else, so that a misspelt sslmode would send everything in the clear. */
const PARAMETERS: Readonly<Record<string, readonly string[] | 'file' | 'text'>> = {
  sslmode: ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'],
  sslrootcert: 'file',
  sslcert: 'file',
  sslkey: 'file',
  sslnegotiation: ['postgres', 'direct'],
  uselibpqcompat: ['true', 'false'],
  host: 'text',
  port: 'text',
  application_name: 'text',
  options: 'text',
};

/** Quotes no value that may be a secret. */
function parameterFault(parameters: URLSearchParams): string | undefined {
  const names = Object.keys(PARAMETERS);
  for (const [name, value] of parameters) {
    const allowed = Object.hasOwn(PARAMETERS, name) ? PARAMETERS[name] : undefined;
    if (allowed === undefined) {
      return `has no parameter ${name}; did you mean ${nearest(name, names)}? There are ${names.join(', ')}`;
    }
    if (allowed === 'file') fileText(`history.postgres: ${name}`, value);
    if (typeof allowed === 'object' && !allowed.includes(value)) {
      return `has ${name}=${value}, which is one of ${allowed.join(', ')}; nearest ${nearest(value, allowed)}`;
    }
  }
  return undefined;
}

function fileText(member: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Error(`${member} cannot be read: ${(cause as Error).message}`);
  }
}
