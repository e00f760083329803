/**
 * RIALTO_DEV_ARGS='--gateways 2' runs suites and soaks that start `dev` with more options than their own: what holds for one
 * thread holds for several.
 */
export const DEV_ARGS: readonly string[] =
  process.env['RIALTO_DEV_ARGS']?.split(' ').filter((text) => text !== '') ?? [];

/** How many gateway threads they ask for, for venues in this process. */
export const DEV_GATEWAYS = Number(DEV_ARGS[DEV_ARGS.indexOf('--gateways') + 1] ?? 0) || 0;
