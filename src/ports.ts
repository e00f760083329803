import { lookup } from 'node:dns/promises';
import { readFileSync } from 'node:fs';
import { createServer, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

export type Listening = {
  /** The names of the settings that hold the address. */
  readonly settings: string;
  readonly host: string;
  readonly port: number;
};

/** Those of a venue: of traders, and of operators. */
export const listenersOf = (config: {
  readonly host: string;
  readonly port: number;
  readonly managementHost: string;
  readonly managementPort: number;
}): readonly Listening[] => [
  { settings: 'host, port', host: config.host, port: config.port },
  {
    settings: 'managementHost, managementPort',
    host: config.managementHost,
    port: config.managementPort,
  },
];

/** Binds an address and releases it, so that a taken port is reported before a long recovery. */
export async function refuseTakenPort(listening: Listening): Promise<void> {
  const { host, port } = listening;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (cause) => reject(cannotListen(listening, cause)));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });
}

/** What a start would find out about the host, without opening a port. */
export async function refuseForeignHost(
  listening: Listening,
  own: readonly string[] | undefined = ownAddresses(),
): Promise<void> {
  const { address } = await lookup(listening.host).catch((cause) => {
    throw cannotListen(listening, cause);
  });
  if (own === undefined || ANY_OR_LOOPBACK.test(address)) return;
  if (own.includes(withoutZone(address)) || mayBindForeign(address)) return;
  throw cannotListen(listening, { code: 'EADDRNOTAVAIL', message: '' });
}

const ANY_OR_LOOPBACK = /^(0\.0\.0\.0|127\.\d+\.\d+\.\d+|::|::1|::ffff:.*)$/;

/** Undefined where a sandbox keeps them from this process: then the start finds out. */
function ownAddresses(): readonly string[] | undefined {
  try {
    return Object.values(networkInterfaces()).flatMap((all = []) =>
      all.map(({ address }) => withoutZone(address)),
    );
  } catch {
    return undefined;
  }
}

/** As the system writes it: addresses of one family have several spellings. */
function withoutZone(address: string): string {
  const [plain = ''] = address.split('%');
  return isIP(plain) === 6 ? new URL(`http://[${plain}]`).hostname : plain;
}

/** A machine may be set up to listen on an address that it is to have later. */
function mayBindForeign(address: string): boolean {
  try {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    return readFileSync(`/proc/sys/net/${family}/ip_nonlocal_bind`, 'utf8').trim() === '1';
  } catch {
    return false;
  }
}

function cannotListen(
  { settings, host, port }: Listening,
  { code, message }: NodeJS.ErrnoException | { readonly code: string; readonly message: string },
): Error {
  const reason = REASONS[code ?? ''] ?? message;
  return new Error(`cannot listen on ${hostPort(host, port)} (${settings}): ${reason}`);
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; stop it, or choose another port (0 takes a free one)',
  EACCES: 'this user may not; ports below 1024 need a privilege',
  EADDRNOTAVAIL: 'this machine does not have that address; 127.0.0.1 and 0.0.0.0 always work',
  ENOTFOUND: 'there is no such host; 127.0.0.1 and 0.0.0.0 always work',
  EAI_AGAIN: 'the host cannot be looked up at the moment; 127.0.0.1 and 0.0.0.0 always work',
};

/** A listener on all addresses is reached on the loopback one. */
export function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${hostPort(host, port)}`;
}

/** As in a URL. */
export const hostPort = (host: string, port: number): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;
