import type { Operators } from '../api/server.ts';
import type { KeyEntry } from '../domain/entries.ts';
import { accountIdText } from '../domain/ids.ts';
import type { OperatorRole, Permission } from '../domain/terms.ts';
import type { FamilyIndex } from '../domain/units.ts';
import type { AccountEntry, Directory } from '../domain/views.ts';
import { MARKET_FAMILY } from '../sandbox/market-family.ts';
import type { Seal } from '../seal.ts';

/** What bots and test suites read to find the venue and its keys. Valid as long as the data is. */
export type Handout = {
  readonly baseUrl: string;
  readonly wsUrl: string;
  /** Metrics, readiness and the operator interface; reached from the same machine only. */
  readonly managementUrl: string;
  /** The console, for people; operators sign in with their credentials. */
  readonly consoleUrl: string;
  /** For /sandbox/v1, as `Authorization: Bearer ...`; a new one after every start. */
  readonly sandboxToken?: string;
  readonly families: readonly {
    readonly name: string;
    readonly accounts: readonly HandoutAccount[];
    /** Sub-accounts that no example uses. */
    readonly inactiveAccounts: readonly HandoutAccount[];
  }[];
  /** Its operators, over `managementUrl`; at least two, with different roles. */
  readonly operators: readonly HandoutOperator[];
  /** Whether a living market runs: its traders are a family that is not listed here. */
  readonly market: { readonly on: boolean; readonly seed?: number };
};
export type HandoutOperator = {
  readonly name: string;
  readonly roles: readonly OperatorRole[];
  readonly accessKey: string;
  readonly secret: string;
};
export type HandoutAccount = {
  readonly accountId: string;
  readonly name: string;
  readonly keys: readonly HandoutKey[];
  /** The secret of its authenticator, base 32: withdrawals of the family need a code made with it. */
  readonly totp?: string;
};
export type HandoutKey = {
  readonly accessKey: string;
  readonly secret: string;
  readonly permissions: readonly Permission[];
};

export type HandoutSource = {
  readonly directory: Directory;
  readonly seal: Seal;
  readonly host: string;
  readonly managementUrl: string;
  readonly sandboxToken?: string | undefined;
  /** None are shown where it is left out. */
  readonly operators?: Operators;
  readonly marketSeed?: number | undefined;
};

export function handoutOf(source: HandoutSource): Handout {
  const { directory, seal, host, managementUrl, sandboxToken, operators, marketSeed } = source;
  const shown = directory.families().filter(({ name }) => name !== MARKET_FAMILY);
  const secretOf = (sealed: Uint8Array): string =>
    Buffer.from(seal.unseal(sealed)).toString('utf8');
  const keys = directory.keys().filter(isForAnyone);
  const totpOf = (family: FamilyIndex): { readonly totp?: string } => {
    const found = directory.factors(family).find(({ factor }) => factor === 'GOOGLE');
    return found === undefined ? {} : { totp: secretOf(found.sealedSecret) };
  };
  const handed = (entry: AccountEntry): HandoutAccount => ({
    accountId: accountIdText(entry.account),
    name: entry.name,
    keys: keys
      .filter((key) => key.account === entry.account)
      .map(({ accessKey, sealedSecret, permissions }) => ({
        accessKey,
        secret: secretOf(sealedSecret),
        permissions,
      })),
    ...(entry.isMain ? totpOf(entry.family) : {}),
  });
  return {
    baseUrl: `http://${host}`,
    wsUrl: `ws://${host}/v2/websocket`,
    managementUrl,
    consoleUrl: `${managementUrl}/console`,
    ...(sandboxToken === undefined ? {} : { sandboxToken }),
    families: shown.map(({ name, accounts }) => {
      const entries = accounts.flatMap((account) => directory.account(account) ?? []);
      return {
        name,
        accounts: entries.filter(({ isActive }) => isActive).map(handed),
        inactiveAccounts: entries.filter(({ isActive }) => !isActive).map(handed),
      };
    }),
    operators: (operators?.all() ?? [])
      .filter(({ isDisabled }) => !isDisabled)
      .map(({ name, roles, accessKey, sealedSecret }) => ({
        name,
        roles,
        accessKey,
        secret: secretOf(sealedSecret),
      })),
    market: marketSeed === undefined ? { on: false } : { on: true, seed: marketSeed },
  };
}

/** A key that ends, or that works from some addresses only, was made for one program: others would be refused. */
const isForAnyone = ({ isRevoked, isSession, expiresAtMs, addresses }: KeyEntry): boolean =>
  !isRevoked && !isSession && expiresAtMs === undefined && addresses === undefined;

/** One line to paste: it takes the time, signs and sends, with tools that every terminal has. */
export function signedCurl(host: string, key: HandoutKey, path: string): string {
  return (
    `t=$(date -u +%Y-%m-%dT%H:%M:%SZ); ` +
    `s=$(printf '%s\\n1\\nGET\\n${host}\\n${path}\\n' "$t" | ` +
    `openssl dgst -sha256 -hmac ${key.secret} -binary | base64); ` +
    `curl -s http://${host}${path} -H "AccessKey: ${key.accessKey}" ` +
    `-H "Timestamp: $t" -H "Nonce: 1" -H "Signature: $s"`
  );
}
