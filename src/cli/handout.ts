import { accountIdText } from '../domain/ids.ts';
import type { Permission } from '../domain/terms.ts';
import type { Directory } from '../domain/views.ts';
import type { Seal } from '../seal.ts';

/** What bots and test suites read to find the venue and its keys. Valid as long as the data is. */
export type Handout = {
  readonly baseUrl: string;
  readonly wsUrl: string;
  /** Metrics, readiness and the operator interface; reached from the same machine only. */
  readonly managementUrl: string;
  readonly families: readonly {
    readonly name: string;
    readonly accounts: readonly HandoutAccount[];
  }[];
};
export type HandoutAccount = {
  readonly accountId: string;
  readonly name: string;
  readonly keys: readonly HandoutKey[];
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
};

export function handoutOf({ directory, seal, host, managementUrl }: HandoutSource): Handout {
  const keys = directory.keys().filter((key) => !key.isRevoked && !key.isSession);
  return {
    baseUrl: `http://${host}`,
    wsUrl: `ws://${host}/v2/websocket`,
    managementUrl,
    families: directory.families().map(({ name, accounts }) => ({
      name,
      accounts: accounts.map((account) => ({
        accountId: accountIdText(account),
        name: directory.account(account)?.name ?? '',
        keys: keys
          .filter((key) => key.account === account)
          .map(({ accessKey, sealedSecret, permissions }) => ({
            accessKey,
            secret: Buffer.from(seal.unseal(sealedSecret)).toString('utf8'),
            permissions,
          })),
      })),
    })),
  };
}

/** One line to paste: it takes the time, signs and asks, with tools every terminal has. */
export function signedCurl(host: string, key: HandoutKey, path: string): string {
  return (
    `t=$(date -u +%Y-%m-%dT%H:%M:%SZ); ` +
    `s=$(printf '%s\\n1\\nGET\\n${host}\\n${path}\\n' "$t" | ` +
    `openssl dgst -sha256 -hmac ${key.secret} -binary | base64); ` +
    `curl -s http://${host}${path} -H "AccessKey: ${key.accessKey}" ` +
    `-H "Timestamp: $t" -H "Nonce: 1" -H "Signature: $s"`
  );
}
