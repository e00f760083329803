import { createServer } from 'node:net';

export type Listening = {
  /** The names of the settings that hold the address. */
  readonly settings: string;
  readonly host: string;
  readonly port: number;
};

/** Binds an address and releases it, so that a taken port is reported before a long recovery. */
export async function refuseTakenPort({ settings, host, port }: Listening): Promise<void> {
  if (port === 0) return;
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', (cause: NodeJS.ErrnoException) => {
      const reason = REASONS[cause.code ?? ''] ?? cause.message;
      reject(new Error(`cannot listen on ${host}:${port} (${settings}): ${reason}`));
    });
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there; stop it, or choose another port (0 takes a free one)',
  EACCES: 'this user may not; ports below 1024 need a privilege',
  EADDRNOTAVAIL: 'this machine does not have that address; 127.0.0.1 and 0.0.0.0 always work',
  ENOTFOUND: 'there is no such host; 127.0.0.1 and 0.0.0.0 always work',
};

/** A listener on all addresses is reached on the loopback one. */
export function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
