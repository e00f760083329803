import { directoryOf } from '../core/views/views.ts';
import { realClocks } from './clock.ts';
import { ClusterNode, type ClusterOptions, STOP_WAIT_MS } from './cluster-node.ts';
import { CommandIntake } from './command-intake.ts';
import { advance, requestStop } from './cursors.ts';
import { GUARDS_TOPIC, GuardedKeys } from './guarded-keys.ts';
import { LeasedEngine } from './leased-engine.ts';
import { isBare, LogFollower } from './log-follower.ts';
import { openGateway } from './open-gateway.ts';
import { stampOf } from './stamp.ts';
import {
  type EngineOptions,
  type OpenEngine,
  openJournal,
  type RunningEngine,
  recover,
  runWriter,
  startEngine,
} from './start.ts';
import { refuseBeforeGate } from './upgrade.ts';

/** The most commands that may wait while the log is unreachable. */
const WAITING_MAX = 200_000;

export async function openEngine(
  options: EngineOptions,
  cluster: ClusterOptions | undefined,
): Promise<OpenEngine> {
  if (cluster?.role === 'gateway') return openGateway(options, cluster);
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

/** Recovers from disk, catches up with the log, and continues as a standby. */
async function openNode(options: EngineOptions, cluster: ClusterOptions): Promise<OpenEngine> {
  await refuseBeforeGate(options, cluster.log);
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
      isBare: isBare(local),
      state,
      nowMs: () => clocks.monotonicMs(),
      onStored: (sequence) => advance(cursors, 'journal', sequence),
    });
    const guards = new GuardedKeys(() => clocks.monotonicMs());
    cluster.log.subscribe(GUARDS_TOPIC, (text) => guards.onAnnouncement(text));
    cluster.log.subscribe('beat', () => guards.onMessage());
    let stopGuarding = (): void => undefined;
    const node: ClusterNode<RunningEngine> = new ClusterNode<RunningEngine>({
      ...cluster,
      ...{ local, follower, clocks, onFailure, onTrouble },
      promote: (journal) => {
        const running = runWriter(warm, journal, { waitingMax: WAITING_MAX });
        const intake = new CommandIntake({
          ...{ transport: cluster.log, writer: journal.writer, onTrouble, soon: setImmediate },
          stamp: stampOf(options.venueId),
          nowMs: () => clocks.monotonicMs(),
        });
        return {
          ...running,
          engine: new LeasedEngine(running.engine, journal, cluster.after),
          cluster: {
            role: 'leader',
            open: (engine) => {
              intake.open(engine);
              stopGuarding = guards.watch(engine, cluster.every);
            },
            stopping: () => journal.giveUpAfter(STOP_WAIT_MS),
            listeners: () => node.listeners,
            troubles: () => (journal.isInDoubt ? ['the log does not acknowledge'] : []),
            node: cluster.node,
            signals: cluster.log,
            relay: { transport: cluster.log, writer: journal.writer },
            reading: () => ({
              ...{ term: journal.term, place: journal.place, lag: 0, resent: 0 },
              ...{ takeovers: follower.takeovers + 1, batches: intake.batches },
            }),
          },
          stop: async () => {
            journal.giveUpAfter(STOP_WAIT_MS);
            stopGuarding();
            intake.close();
            await running.drain();
            // Best effort: without it the others wait for the takeover timeout.
            await node.handOver().catch(() => undefined);
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
