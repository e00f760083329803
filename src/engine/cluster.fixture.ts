import { ByteWriter } from '../bytes/pack.ts';
import { RULES_VERSION } from '../core/snapshot.ts';
import { newState, type State } from '../core/state.ts';
import { encodeOutcome } from '../domain/event-codec.ts';
import { numberedFrom } from '../journal/journal.ts';
import { openMemory } from '../journal/memory.ts';
import { MemoryLog, MemoryStream } from '../replication/memory-log.fixture.ts';
import { decodeMessage } from '../replication/message.ts';
import { manualClock } from './clock.ts';
import { ClusterNode } from './cluster-node.ts';
import { decodeEntry } from './codec.ts';
import { CommandIntake } from './command-intake.ts';
import type { Engine } from './engine.ts';
import { LeaderConnection } from './leader-connection.ts';
import { LeasedEngine } from './leased-engine.ts';
import { LogFollower } from './log-follower.ts';
import { BlindEngine, type Planted, WrongLog } from './planted-mistakes.fixture.ts';
import { memoryPoison } from './poison.ts';
import { RecentOutcomes } from './recent-outcomes.ts';
import { replay } from './recovery.ts';
import { RemoteEngine } from './remote-engine.ts';
import { Sequencer } from './sequencer.ts';

/** A timer of a node; it does not run while the node is paused. */
type Timer = { dueMs: number; readonly periodMs: number | undefined; readonly run: () => void };

/** One engine of a simulated cluster: its disk outlives it. */
export type SimNode = {
  readonly name: string;
  readonly stored: Uint8Array[];
  log: MemoryLog;
  timers: Set<Timer>;
  state: State;
  engine: Engine | undefined;
  node: ClusterNode<Engine> | undefined;
  /** Wall clock minus the log's. */
  clockMs: number;
  isPaused: boolean;
  /** Why it ended, until it is started again. */
  ended: Error | undefined;
  handOver: () => Promise<void>;
  stamp: string;
  readonly troubles: string[];
};

/** A gateway of a simulated cluster. */
export type SimGateway = SimMember & {
  readonly name: string;
  readonly stored: Uint8Array[];
  stamp: string;
  engine: RemoteEngine | undefined;
  connection: LeaderConnection | undefined;
  /** Clients may connect. */
  isListening: boolean;
  /** Somebody is connected to its stream. */
  hasListeners: boolean;
  ended: Error | undefined;
};

type SimMember = { log: MemoryLog; timers: Set<Timer>; isPaused: boolean };

/** Venue, rules and layout of all nodes. */
const STAMP = 'venue rules layout';
export const START_MS = 1_750_000_000_000;
const STEP_MS = 10;

/** Engines, their log and their clients in one process, on a clock that only `pass` moves. */
export class SimCluster {
  readonly stream = new MemoryStream();
  readonly nodes: SimNode[];
  readonly gateways = new Set<SimGateway>();
  onListening: (gateway: SimGateway, engine: RemoteEngine) => void = () => undefined;
  readonly #planted: Planted | undefined;
  nowMs = 0;

  constructor(names = ['engine-1', 'engine-2', 'engine-3'], planted?: Planted) {
    this.#planted = planted;
    this.stream.nowMs = () => START_MS + this.nowMs;
    this.nodes = names.map((name) => ({
      name,
      stored: [],
      log: new MemoryLog(this.stream),
      timers: new Set(),
      state: newState(),
      engine: undefined,
      node: undefined,
      clockMs: 0,
      isPaused: false,
      ended: undefined,
      handOver: async () => undefined,
      stamp: STAMP,
      troubles: [],
    }));
  }

  /** A copy from its disk, which follows the log; listening once it has asked the leader. */
  async startGateway(gateway: SimGateway = this.#newGateway()): Promise<SimGateway> {
    const planted = this.#planted;
    gateway.log = new MemoryLog(this.stream);
    gateway.timers = new Set();
    gateway.ended = undefined;
    const { log, timers } = gateway;
    const state = newState();
    const local = openMemory({ stored: gateway.stored });
    replay(state, local.read(1));
    const nowMs = (): number => this.nowMs;
    const every = this.#everyOf(timers);
    const recent = new RecentOutcomes({
      nextSequence: local.lastSequence + 1,
      readOlder: async (sequence) => outcomeAt(gateway.stored, sequence),
    });
    const connection = new LeaderConnection({
      ...{ transport: log, node: gateway.name, nowMs, every, soon: setImmediate },
      ...{ inbox: `gate.${gateway.name}.${this.nowMs}`, stamp: gateway.stamp, takesOutcomes: true },
      onRefused: (words) => this.killGateway(gateway, new Error(words)),
    });
    const isBlind = planted === 'gateway resends anything';
    const submit = connection.submit.bind(connection);
    if (isBlind) connection.submit = (bytes) => submit(bytes, true);
    const clock = manualClock(START_MS + this.nowMs);
    let following: LogFollower | undefined;
    const lag = { catchUp: () => following?.catchUp(), isForbidden: () => gateway.hasListeners };
    const parts = { state, connection, recent, clock, nowMs, every, lag };
    const engine =
      planted === 'gateway view without asking' ? new BlindEngine(parts) : new RemoteEngine(parts);
    gateway.connection = connection;
    gateway.engine = engine;
    this.gateways.add(gateway);
    const replica = {
      onBytes: engine.onBytes,
      onEntry: engine.onEntry,
      onMessage: ({ leader, isHandedOver }: LogFollower) =>
        engine.moved(isHandedOver ? undefined : leader?.writer),
      room: () => undefined,
      lag: {
        mayWait: () => true,
        isAwaited: () => engine.isAwaited || gateway.hasListeners,
        after: this.#afterOf(timers),
      },
    };
    const onStored = (): void => undefined;
    const listen = (): void => {
      gateway.isListening = true;
      this.onListening(gateway, engine);
    };
    if (planted === 'gateway listening early') listen();
    const follower = await LogFollower.open({ log, local, state, nowMs, onStored, replica });
    following = follower;
    replica.onMessage(follower);
    void follower.follow().catch((cause: Error) => this.killGateway(gateway, cause));
    void engine.refreshed().then(listen, () => undefined);
    return gateway;
  }

  killGateway(gateway: SimGateway, reason = new Error('killed')): void {
    gateway.ended = reason;
    gateway.isListening = false;
    gateway.timers.clear();
    gateway.engine?.stop();
    gateway.engine = undefined;
    void gateway.log.close();
  }

  /** Until clients may connect. */
  async untilListening(gateway: SimGateway, mostMs = 20_000): Promise<RemoteEngine> {
    const untilMs = this.nowMs + mostMs;
    while (this.nowMs < untilMs) {
      if (gateway.isListening && gateway.engine !== undefined) return gateway.engine;
      await this.pass(20);
    }
    throw new Error(`${gateway.name} does not listen after ${mostMs} ms`);
  }

  #newGateway(): SimGateway {
    return {
      ...{ name: `gateway-${this.gateways.size + 1}`, stored: [], stamp: STAMP },
      ...{ log: new MemoryLog(this.stream), timers: new Set<Timer>(), isPaused: false },
      ...{ engine: undefined, connection: undefined, isListening: false, ended: undefined },
      hasListeners: false,
    };
  }

  #afterOf(timers: Set<Timer>): (delayMs: number, call: () => void) => () => void {
    return (delayMs, call) => {
      const timer = { dueMs: this.nowMs + delayMs, periodMs: undefined, run: call };
      timers.add(timer);
      return () => timers.delete(timer);
    };
  }

  #everyOf(timers: Set<Timer>): (periodMs: number, run: () => void) => () => void {
    return (periodMs, run) => {
      const timer = { dueMs: this.nowMs + periodMs, periodMs, run };
      timers.add(timer);
      return () => timers.delete(timer);
    };
  }

  /** Reads its disk, follows the log to its end, and goes on as a standby. */
  async start(node: SimNode): Promise<void> {
    const planted = this.#planted;
    node.log =
      planted === undefined ? new MemoryLog(this.stream) : new WrongLog(this.stream, planted);
    node.timers = new Set();
    node.state = newState();
    node.engine = undefined;
    node.ended = undefined;
    node.isPaused = false;
    const { log, state, timers } = node;
    const local = openMemory({ stored: node.stored });
    replay(state, local.read(1));
    const onStored = (): void => undefined;
    const nowMs = (): number => this.nowMs;
    const follower = await LogFollower.open({ log, local, state, nowMs, onStored });
    const onFailure = (reason: Error): void => this.#end(node, reason);
    const after = this.#afterOf(timers);
    node.node = new ClusterNode<Engine>({
      ...{ log, local, follower, after, onFailure },
      node: node.name,
      url: `http://${node.name}`,
      clocks: { wallMs: () => START_MS + this.nowMs + node.clockMs, monotonicMs: nowMs },
      every: this.#everyOf(timers),
      onHandOver: () => void node.handOver(),
      onGate: onFailure,
      onTrouble: (words) => void node.troubles.push(words),
      promote: (journal) => {
        const clock = manualClock(START_MS + this.nowMs);
        const sequencer = new Sequencer({
          ...{ state, journal, clock, onFailure },
          poison: memoryPoison(),
          recent: new RecentOutcomes({
            nextSequence: journal.lastSequence + 1,
            readOlder: async (sequence) => outcomeAt(node.stored, sequence),
          }),
          soon: setImmediate,
          onDurable: () => undefined,
        });
        const intake = new CommandIntake({
          ...{
            transport: log,
            writer: journal.writer,
            stamp: node.stamp,
            nowMs,
            soon: setImmediate,
          },
          onTrouble: (words) => void node.troubles.push(words),
          sendsOutcome: () => true,
        });
        node.engine =
          planted === 'view without lease'
            ? sequencer
            : new LeasedEngine(sequencer, journal, after);
        intake.open(node.engine);
        node.handOver = async () => {
          const { engine } = node;
          node.engine = undefined;
          intake.close();
          await sequencer.drain();
          await node.node?.handOver();
          if (engine !== undefined) this.#end(node, new Error('handed over'));
        };
        return node.engine;
      },
    });
  }

  async startAll(): Promise<void> {
    for (const node of this.nodes) await this.start(node);
  }

  /** kill -9: nothing of it runs on, and what it had in flight may still arrive. */
  kill(node: SimNode): void {
    this.#end(node, new Error('killed'));
  }

  pause(node: SimNode): void {
    node.isPaused = true;
    node.log.isCutOff = true;
  }

  resume(node: SimNode): void {
    node.isPaused = false;
    node.log.isCutOff = false;
  }

  /** Nodes that believe that they lead. */
  leaders(): SimNode[] {
    return this.nodes.filter(({ engine, isPaused }) => engine !== undefined && !isPaused);
  }

  /** Lets time pass, with everything that falls due in it. */
  async pass(forMs: number): Promise<void> {
    const untilMs = this.nowMs + forMs;
    while (this.nowMs < untilMs) {
      this.nowMs = Math.min(untilMs, this.nowMs + STEP_MS);
      for (const node of [...this.nodes, ...this.gateways]) {
        if (!node.isPaused) this.#runDue(node);
      }
      for (let turn = 0; turn < 3; turn++) await settle();
    }
  }

  /** Until a node leads, and no longer than this. */
  untilLed(): Promise<SimNode> {
    return this.untilLedBy(() => true);
  }

  async untilLedBy(isMeant: (node: SimNode) => boolean, mostMs = 20_000): Promise<SimNode> {
    const untilMs = this.nowMs + mostMs;
    while (this.nowMs < untilMs) {
      const leader = this.leaders().find(isMeant);
      if (leader !== undefined) return leader;
      await this.pass(50);
    }
    throw new Error(`nobody leads after ${mostMs} ms`);
  }

  /** The commands of the log, in order; each digest is checked on the way. */
  replayed(): {
    readonly fingerprints: readonly string[];
    readonly unsigned: readonly bigint[];
    readonly state: State;
  } {
    const entries = this.stream.messages.flatMap(
      ({ place, bytes }) => decodeMessage(place, bytes).entries,
    );
    const numbered = numberedFrom(1, entries);
    const state = newState();
    replay(state, numbered);
    const fingerprints: string[] = [];
    const unsigned: bigint[] = [];
    for (const entry of numbered) {
      const { command } = decodeEntry(entry, RULES_VERSION).stamped;
      if (command.kind !== 'transfer') continue;
      const { fingerprint } = command.by;
      if (fingerprint === undefined) unsigned.push(command.amount);
      else fingerprints.push(fingerprint);
    }
    return { fingerprints, unsigned, state };
  }

  #end(node: SimNode, reason: Error): void {
    if (node.ended !== undefined) return;
    node.ended = reason;
    node.engine = undefined;
    node.timers.clear();
    void node.node?.stop();
    void node.log.close();
  }

  #runDue(node: SimMember): void {
    for (const timer of [...node.timers]) {
      if (timer.dueMs > this.nowMs) continue;
      if (timer.periodMs === undefined) node.timers.delete(timer);
      else timer.dueMs = this.nowMs + timer.periodMs;
      timer.run();
    }
  }
}

const settle = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** What the event log would have. */
function outcomeAt(stored: readonly Uint8Array[], wanted: number): Uint8Array {
  const numbered = numberedFrom(1, stored.slice(0, wanted));
  const writer = new ByteWriter();
  replay(newState(), numbered, (_, timeMs, events) => {
    writer.clear();
    encodeOutcome(writer, timeMs, events);
  });
  return writer.bytes();
}
