import { RialtoClient } from '../../src/client/index.ts';
import type { Recording } from '../../src/wire/docs/recording.ts';
import type { Endpoint } from '../../src/wire/endpoint.ts';
import { type GuideParts, guideParts } from './guide-parts.ts';
import { startRecordedVenue } from './recorded-venue.ts';
import { Recorder } from './recorder.ts';
import { restScenario } from './rest-scenario.ts';
import { streamScenario } from './stream-scenario.ts';

/** Which SDK method calls an endpoint: each is called on a client that only records it. */
async function sdkMethods(): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const client = new RialtoClient({ baseUrl: 'http://localhost' });
  for (const [name, method] of Object.entries(client)) {
    if (typeof method !== 'function') continue;
    client.call = (async ({ method: verb, path }: Endpoint) => {
      found[`${verb} ${path}`] = name;
    }) as typeof client.call;
    await (method as (request: object) => Promise<unknown>)({});
  }
  return found;
}

/** The examples of the documentation: every endpoint and every channel of a venue with a fixed clock. */
export async function recordVenue(): Promise<{
  readonly recording: Recording;
  readonly parts: GuideParts;
}> {
  const venue = await startRecordedVenue();
  try {
    const recorder = new Recorder();
    await restScenario(venue, recorder);
    const stream = await streamScenario(venue);
    const recording = { calls: recorder.calls, stream, sdk: await sdkMethods() };
    return { recording, parts: await guideParts(venue) };
  } finally {
    await venue.stop();
  }
}
