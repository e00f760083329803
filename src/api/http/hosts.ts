/**
 * The host names under which a signed request may address this venue.
 *
 * The Host header is part of what is signed, but a sender can write anything into it. So it counts only if it
 * names this venue: `localhost`, a loopback address, the address the connection came in on, the host the
 * listener was bound to, or one of the aliases (setting `hostAliases`). The port does not matter, except for
 * an alias that names one.
 */
export type HostNames = (host: string, localAddress: string) => boolean;

const LOOPBACK = /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;

export function hostNames(aliases: readonly string[], boundHost = ''): HostNames {
  const names = new Set([...aliases, boundHost].map((name) => name.toLowerCase()));
  names.delete('');
  const isOurs: HostNames = (host, localAddress) => {
    const whole = host.toLowerCase();
    const name = withoutPort(whole);
    if (name === 'localhost' || name === '[::1]' || LOOPBACK.test(name)) return true;
    return names.has(name) || names.has(whole) || name === inUrl(localAddress);
  };
  // Nearly every request names the host that the one before it named.
  let last = { host: '', localAddress: '', isOurs: isOurs('', '') };
  return (host, localAddress) => {
    if (last.host !== host || last.localAddress !== localAddress) {
      last = { host, localAddress, isOurs: isOurs(host, localAddress) };
    }
    return last.isOurs;
  };
}

/** An IPv6 address keeps its brackets: "[::1]:3000" is "[::1]". */
export const withoutPort = (host: string): string => host.replace(/:\d+$/, '');

/** The address of a socket as written in a URL. */
function inUrl(address: string): string {
  const plain = address.startsWith('::ffff:') ? address.slice(7) : address;
  return plain.includes(':') ? `[${plain}]` : plain;
}
