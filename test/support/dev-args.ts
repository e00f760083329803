/**
 * RIALTO_DEV_ARGS='--gateways 2' runs suites and soaks that start `dev` with additional options: what holds
 * for one thread must hold for several.
 */
export const DEV_ARGS: readonly string[] =
  process.env['RIALTO_DEV_ARGS']?.split(' ').filter((text) => text !== '') ?? [];

/** The number of gateway threads in them, for venues in this process. */
export const DEV_GATEWAYS = Number(DEV_ARGS[DEV_ARGS.indexOf('--gateways') + 1] ?? 0) || 0;
