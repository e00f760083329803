import { resolve } from 'node:path';
import { operatorFetch } from '../api/server.ts';
import { backUpOf } from '../backup.ts';
import { RialtoClient, RialtoError } from '../client/index.ts';
import { readConfigFile, type VenueConfig, venueConfig } from '../config.ts';
import { refuseTakeOver } from '../engine/upgrade.ts';
import { identityOf } from '../identity.ts';
import { withStoppedVenue } from '../main.ts';
import { credentialIn, managementAddressIn } from '../operators.ts';
import { keyMaker } from '../seal.ts';
import { actorName } from './actor.ts';
import { noAnswer } from './no-answer.ts';

/** Which venue a command is for. */
export const VENUE_ARGS = {
  config: { type: 'string', description: 'configuration file of the venue' },
  data: { type: 'string', description: 'or its data directory, for a venue of `dev`' },
  as: {
    type: 'string',
    description: "file with an operator's credential; by default the first one's",
  },
  json: { type: 'boolean', default: false, description: 'print JSON, for programs' },
} as const;

export type VenueNamed = {
  readonly config?: string | undefined;
  readonly data?: string | undefined;
  readonly as?: string | undefined;
};

/**
 * Calls the operator interface of a venue: a running one over its management listener, a stopped one by
 * opening it. Requests, checks and responses are the same either way.
 */
export async function operate<Result>(
  named: VenueNamed,
  work: (client: RialtoClient) => Promise<Result>,
): Promise<Result> {
  const config = configOf(named);
  const { venueId } = identityOf(config.data);
  const running = await findRunning(config.data, venueId);
  if (running === undefined) {
    // A node of a cluster is not opened at all, and told so below.
    if (config.cluster === undefined) refuseTakeOver({ directory: config.data, venueId });
    return operateStopped(config, work);
  }
  const { accessKey, secret } = credentialIn(config.data, named.as);
  const { managementUrl: baseUrl, aheadMs } = running;
  let isSent = false;
  const client = new RialtoClient({
    ...{ baseUrl, accessKey, secret },
    fetch: (input, init) => {
      isSent = true;
      return fetch(input, init);
    },
    nowMs: () => Date.now() + aheadMs,
    // A person at a terminal decides about retries; a backup may take long.
    ...{ retry: false, timeoutMs: ANSWER_WITHIN_MS },
  });
  try {
    return await work(client);
  } catch (cause) {
    // A mistyped option is found before anything is sent: then there is nothing to look for.
    if (cause instanceof RialtoError || !isSent) throw cause;
    throw noAnswer(baseUrl, cause, ': look whether it was done');
  }
}

export function configOf({ config, data }: VenueNamed): VenueConfig {
  if (config !== undefined && data === undefined) {
    const { found, base } = readConfigFile(config);
    return venueConfig(found, base);
  }
  if (data !== undefined && config === undefined) {
    return venueConfig({ data: resolve(data) }, process.cwd());
  }
  throw new Error('which venue? --config FILE, or --data DIR for a venue of `dev`');
}

function operateStopped<Result>(
  config: VenueConfig,
  work: (client: RialtoClient) => Promise<Result>,
): Promise<Result> {
  return withStoppedVenue({ config }, (engine, seal, rooms) => {
    const { operators, history } = rooms;
    const keys = keyMaker(seal);
    const parts = { engine, history, keys, operators, backUp: backUpOf(rooms, config) };
    const fetch = operatorFetch(parts, actorName());
    // No signature is checked there: access to the directory is proof enough.
    const unsigned = { accessKey: 'unused', secret: 'unused' };
    return work(new RialtoClient({ baseUrl: 'http://stopped', ...unsigned, fetch, retry: false }));
  });
}

type Running = {
  readonly managementUrl: string;
  /** How far the engine's clock is ahead of ours: requests are signed with the engine's time. */
  readonly aheadMs: number;
};

const HEALTH_WITHIN_MS = 2_000;
const ANSWER_WITHIN_MS = 3_600_000;

/** A killed venue leaves its address behind, and another program may use it by now. */
async function findRunning(directory: string, venueId: string): Promise<Running | undefined> {
  const address = managementAddressIn(directory);
  if (address === undefined) return undefined;
  const { managementUrl } = address;
  try {
    const signal = AbortSignal.timeout(HEALTH_WITHIN_MS);
    const response = await fetch(`${managementUrl}/health`, { signal });
    const health = (await response.json()) as {
      readonly venueId?: unknown;
      readonly engine?: { readonly clock?: { readonly engineMs?: unknown } };
    };
    if (health.venueId !== venueId) return undefined;
    const engineMs = health.engine?.clock?.engineMs;
    return { managementUrl, aheadMs: typeof engineMs === 'number' ? engineMs - Date.now() : 0 };
  } catch {
    // No venue responds. If one holds the directory all the same, opening it is refused.
    return undefined;
  }
}
