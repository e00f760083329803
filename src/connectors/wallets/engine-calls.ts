import type { NetworkWork } from '../../domain/chain-work.ts';
import type { Command } from '../../domain/commands.ts';
import type { Refused } from '../../domain/events.ts';
import type { NetworkIndex } from '../../domain/units.ts';
import type { Views } from '../../domain/views.ts';
import type { Engine } from '../../engine/engine.ts';

/** Submits and waits until it is on disk. Returns the refusal, or undefined if it was done. */
export async function submit(engine: Engine, command: Command): Promise<Refused | undefined> {
  const { outcome } = await engine.submit(command);
  return outcome.events.find((event) => event.kind === 'refused');
}

/** The venue's pending work for a network; all of it is on disk. */
export async function workOf(
  engine: Engine,
  network: NetworkIndex,
  deposits: Views['chainWork']['query']['deposits'] = 'waiting',
): Promise<NetworkWork> {
  const works = await engine.view('chainWork', { deposits });
  return works[network] as NetworkWork;
}
