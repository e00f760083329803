import { isIP } from 'node:net';

/** An address, or a name of this machine: with a scheme or a port it would be looked up as a name, and not found. */
export function refuseMalformedHost(member: string, host: string): void {
  if (isHost(host)) return;
  const [, bracketed, plain] = HOST_IN.exec(host) ?? [];
  const meant = bracketed ?? plain ?? '';
  const nearest = isHost(meant) ? `; nearest ${JSON.stringify(meant)}` : '';
  throw new Error(
    `${member} is an address or a name of this machine, such as "127.0.0.1" or "0.0.0.0", without scheme ` +
      `and port, not ${JSON.stringify(host)}${nearest}`,
  );
}

const isHost = (text: string): boolean =>
  isIP(text) !== 0 || (/^[\w-]+(\.[\w-]+)*\.?$/.test(text) && text.length <= 253);

/** The host of "http://[::1]:3000/", of "venue.example:3000" and of " localhost ". */
const HOST_IN = /^\s*(?:\w+:\/\/)?(?:\[([^\]]*)\]|([^/:\s]*))/;

/** Refuses two listeners that would get in each other's way. 0 takes a free port. */
export function refuseSamePort(found: {
  readonly host: string;
  readonly port: number;
  readonly managementHost: string;
  readonly managementPort: number;
}): void {
  const { host, port, managementHost, managementPort } = found;
  if (port === 0 || port !== managementPort) return;
  const [one = '', other = ''] = [host, managementHost].map((named) =>
    named === 'localhost' ? LOOPBACK : named,
  );
  if (one !== other && !isWithin(one, other) && !isWithin(other, one)) return;
  throw new Error(`managementPort is ${port}, and so is port: the two listeners need one each`);
}

const LOOPBACK = '127.0.0.1';

/** `::` takes the addresses of both families, `0.0.0.0` only those without a colon. */
const isWithin = (host: string, all: string): boolean =>
  all === '::' || (all === '0.0.0.0' && !host.includes(':'));

/** A signature covers a Host header, which has no scheme and no path: such an alias would never match. */
export function aliasesOf(found: readonly string[] | undefined): readonly string[] | undefined {
  const at = found?.findIndex((alias) => /[/\s]|^$/.test(alias)) ?? -1;
  if (at < 0) return found;
  throw new Error(
    `hostAliases[${at}] is a host as clients name it, such as "api.example" or "api.example:8443", ` +
      `not ${JSON.stringify(found?.[at])}`,
  );
}
