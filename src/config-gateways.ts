/** Beyond this, an additional thread costs the others more than it serves. */
export const GATEWAYS_MAX = 16;
/** On two cores, the follower's and other threads already compete with the engine's for the second core. */
const CORES_FOR_FIRST = 3;
const CORES_FOR_EACH = 4;
const UNLESS_SET_MAX = 4;
/** Where several threads may listen on one port, and the system distributes connections among them. */
const SHARES_PORTS: readonly string[] = ['linux', 'freebsd', 'sunos', 'aix'];

export type Machine = { readonly cores: number; readonly platform: string };

/** The default of `serve`: one from three cores on, then one for every four. */
export function gatewaysFor({ cores, platform }: Machine): number {
  if (cores < CORES_FOR_FIRST || !SHARES_PORTS.includes(platform)) return 0;
  return Math.min(UNLESS_SET_MAX, Math.max(1, Math.floor(cores / CORES_FOR_EACH)));
}

/** The configured number; refused with the reason if it is not possible. */
export function gatewayCount(name: string, given: number | string, platform: string): number {
  const count = typeof given === 'number' || /^\d{1,4}$/.test(given) ? Number(given) : Number.NaN;
  if (!Number.isInteger(count) || count < 0 || count > GATEWAYS_MAX) {
    throw new Error(`${name} is a whole number of threads from 0 to ${GATEWAYS_MAX}, not ${given}`);
  }
  if (count > 0 && !SHARES_PORTS.includes(platform)) {
    throw new Error(
      `${name}: on ${platform} several threads cannot listen on one port; leave it out, or 0`,
    );
  }
  return count;
}
