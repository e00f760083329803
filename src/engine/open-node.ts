import { directoryOf } from '../core/views/views.ts';
import type { Directory } from '../domain/views.ts';
import { realClocks } from './clock.ts';
import { ClusterNode, type ClusterOptions } from './cluster-node.ts';
import { advance, type Cursors, requestStop } from './cursors.ts';
import { LeasedEngine } from './leased-engine.ts';
import { LogFollower } from './log-follower.ts';
import {
  type EngineOptions,
  openJournal,
  type Recovered,
  type RunningEngine,
  recover,
  runWriter,
  startEngine,
} from './start.ts';

/** An engine that is recovered. In a cluster it may be long until it leads. */
export type OpenEngine = {
  readonly cursors: Cursors;
  readonly recovered: Recovered;
  readonly directory: Directory;
  readonly leading: Promise<RunningEngine>;
  /** Who leads while this one does not. */
  leader(): { readonly node: string; readonly url: string | undefined } | undefined;
  /** Of one that does not lead yet. */
  stop(): Promise<void>;
};

/** Commands that may wait while the log is away. */
const WAITING_MAX = 200_000;

export async function openEngine(
  options: EngineOptions,
  cluster: ClusterOptions | undefined,
): Promise<OpenEngine> {
  if (cluster !== undefined) return openNode(options, cluster);
  const running = await startEngine(options);
  return {
    cursors: running.cursors,
    recovered: running.recovered,
    directory: running.engine.directory,
    leading: Promise.resolve(running),
    leader: () => undefined,
    stop: running.stop,
  };
}

/** Recovers from disk, catches up with the log, and goes on as a standby. */
async function openNode(options: EngineOptions, cluster: ClusterOptions): Promise<OpenEngine> {
  const { local, older } = await openJournal(options);
  let close = (): Promise<void> => local.close();
  try {
    const warm = recover(options, local, older);
    const { cursors, state } = warm;
    close = async () => {
      requestStop(cursors);
      await warm.follower.ended;
      await local.close();
    };
    const clocks = options.clocks ?? realClocks;
    const { onFailure, onTrouble = () => undefined } = options;
    const follower = await LogFollower.open({
      log: cluster.log,
      local,
      state,
      nowMs: () => clocks.monotonicMs(),
      onStored: (sequence) => advance(cursors, 'journal', sequence),
    });
    const node = new ClusterNode<RunningEngine>({
      ...cluster,
      ...{ local, follower, clocks, onFailure, onTrouble },
      promote: (journal) => {
        const running = runWriter(warm, journal, { waitingMax: WAITING_MAX });
        return {
          ...running,
          engine: new LeasedEngine(running.engine, journal, cluster.after),
          stop: async () => {
            await running.drain();
            // Best effort: without it the others wait for silence.
            await journal.handOver().catch(() => undefined);
            await node.stop();
            await running.stop();
          },
        };
      },
    });
    return {
      cursors,
      recovered: { ...warm.recovered, sequence: local.lastSequence },
      directory: directoryOf(state),
      leading: node.leading,
      leader: () => node.leader(),
      stop: async () => {
        await node.stop();
        await close();
      },
    };
  } catch (cause) {
    await close();
    throw cause;
  }
}
