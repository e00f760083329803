import { availableParallelism } from 'node:os';
import { joinCluster, LOST_LEAD_EXIT_CODE } from '../cluster.ts';
import { type ConfigFile, readConfigFile, type VenueConfig, venueConfig } from '../config.ts';
import { gatewayCount, gatewaysFor } from '../config-gateways.ts';
import { StandbyStopped } from '../engine/cluster-node.ts';
import { GateReached } from '../engine/gate.ts';
import { identityOf } from '../identity.ts';
import { startVenue, type Venue, type VenueOptions } from '../main.ts';
import { hostPort } from '../ports.ts';
import { command } from './command.ts';
import { oneOf } from './options.ts';
import { runUntilSignal } from './run.ts';

const ROLES = ['single', 'engine', 'gateway'] as const;

const ARGS = {
  config: { type: 'string', required: true, description: 'configuration file (JSON)' },
  role: {
    type: 'string',
    default: 'single',
    description: 'single|engine|gateway: a venue on one machine, or a node of a cluster',
  },
  history: {
    type: 'string',
    description: 'PostgreSQL for history, postgres://user@host:port/database; see OPERATING.md',
  },
  gateways: {
    type: 'string',
    description:
      'threads that serve traders, up to 16; one from three cores on, then one for every four, unless set',
  },
  'unsafe-log': {
    type: 'boolean',
    default: false,
    description: 'experiments only: use a log that may lose what it has acknowledged',
  },
  'allow-clock-behind': {
    type: 'boolean',
    default: false,
    description: 'start although the clock is behind the journal',
  },
} as const;

export const serve = command({
  meta: { name: 'serve', description: 'Run a venue as its configuration says, without demo data' },
  args: ARGS,
  run: async (args) => {
    const role = oneOf('--role', ROLES, args.role);
    const { found, base } = readConfigFile(args.config);
    const gateways = gatewaysOf(found, role, args.gateways);
    const config = venueConfig({ ...withHistory(found, args.history), gateways }, base);
    // A reload requested during the start is not needed: the files are about to be read.
    process.on('SIGHUP', () => undefined);
    const options = { config, allowClockBehind: args['allow-clock-behind'] };
    if (role === 'single') {
      identityOf(config.data);
      opened(await startVenue(options), config);
    } else {
      const { venue, isToStop } = await startNode(options, role, args['unsafe-log']);
      opened(venue, config);
      // The signal arrived just as it began to lead.
      if (isToStop) process.kill(process.pid, 'SIGTERM');
    }
  },
});

/** The command line takes precedence over the file. */
const withHistory = (found: ConfigFile, postgres: string | undefined): ConfigFile =>
  postgres === undefined ? found : { ...found, history: { ...found.history, postgres } };

/** By the number of cores, unless the file or the command line sets it. */
function gatewaysOf(found: ConfigFile, role: string, option: string | undefined): number {
  const { platform } = process;
  if (option !== undefined) return gatewayCount('--gateways', option, platform);
  if (found.gateways !== undefined || found.cluster !== undefined || role !== 'single') {
    return found.gateways ?? 0;
  }
  return gatewaysFor({ cores: availableParallelism(), platform });
}

function opened(venue: Venue, config: VenueConfig): void {
  runUntilSignal(venue, 'reload');
  const scheme = config.tls === undefined ? 'http' : 'https';
  console.log(`Rialto is open: ${scheme}://${hostPort(config.host, venue.port)}`);
  console.log(`  console for operators: ${venue.managementUrl}/console`);
}

/** For a node that does not serve yet: its disk is consistent at any moment, so it may end at any. */
const STOP_MOST_MS = 4_000;
/** At a gate it leaves a snapshot, however large, for the next version. */
const GATE_MOST_MS = 300_000;

/**
 * An engine is a standby until it leads, a gateway waits for a leader; a signal before that ends it, even
 * while it waits for a log that does not answer.
 */
async function startNode(
  options: VenueOptions,
  role: 'engine' | 'gateway',
  isUnsafeLogAllowed: boolean,
): Promise<{ readonly venue: Venue; readonly isToStop: boolean }> {
  const stopping = new AbortController();
  let bound: NodeJS.Timeout | undefined;
  const stop = (): void => {
    stopping.abort();
    bound ??= setTimeout(() => process.exit(), STOP_MOST_MS);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  const onHandOver = (): void => {
    process.exitCode = LOST_LEAD_EXIT_CODE;
    // A normal stop: requests in flight are answered, then another node may take over.
    process.kill(process.pid, 'SIGTERM');
  };
  const onGate = (reason: Error): void => {
    console.error(reason.message);
    bound ??= setTimeout(() => process.exit(), GATE_MOST_MS).unref();
    onHandOver();
  };
  const { signal } = stopping;
  const cluster = joinCluster({ role, isUnsafeLogAllowed, onHandOver, onGate, signal });
  try {
    const venue = await startVenue({ ...options, cluster });
    return { venue, isToStop: signal.aborted };
  } catch (cause) {
    if (cause instanceof GateReached) {
      console.error(cause.message);
      process.exit(LOST_LEAD_EXIT_CODE);
    }
    if (!(cause instanceof StandbyStopped) && !signal.aborted) throw cause;
    process.exit();
  } finally {
    clearTimeout(bound);
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}
