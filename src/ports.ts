import { createServer } from 'node:net';

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
export const refuseTakenPort = (listening: Listening): Promise<void> =>
  bindOnce(listening, listening.port);

/** Of a host that this machine does not have; the port may be in use, by the venue itself. */
export const refuseForeignHost = (listening: Listening): Promise<void> => bindOnce(listening, 0);

function bindOnce(listening: Listening, port: number): Promise<void> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once('error', (cause) => reject(cannotListen(listening, cause)));
    probe.listen({ host: listening.host, port, exclusive: true }, () =>
      probe.close(() => resolve()),
    );
  });
}

function cannotListen(
  { settings, host, port }: Listening,
  { code, message }: NodeJS.ErrnoException,
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
