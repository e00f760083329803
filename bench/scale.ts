/**
 * The capacity of one writer: `npm run scale`, or `npm run scale -- ORDERS_PER_SECOND ENGINE_US GROUP_MS
 * COMMAND_US`.
 *
 * Orders arrive at random times; one thread applies them one after another; one group of applied commands is
 * on its way to the log at any time, and the next one is sent when it is acknowledged. Costs are measured
 * elsewhere (docs/SCALE.md) and passed in; the clock is simulated, so a run is the same everywhere.
 */
type Costs = {
  /** Engine thread time per order. */
  readonly engineUs: number;
  /** Time of a group in the log, and for each command in it. */
  readonly groupMs: number;
  readonly commandUs: number;
};

type Carried = {
  readonly ordersPerSecond: number;
  /** Utilisation of the engine's thread. */
  readonly busy: number;
  readonly groupsPerSecond: number;
  readonly meanGroup: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly mostWaiting: number;
};

const ORDERS = 200_000;
const SEED = 7;

function simulate(ordersPerSecond: number, costs: Costs, orders = ORDERS): Carried {
  const random = seeded(SEED);
  const appliedMs: number[] = [];
  const arrivedMs: number[] = [];
  let [nowMs, engineFreeMs, busyMs] = [0, 0, 0];
  for (let order = 0; order < orders; order++) {
    nowMs += (-Math.log(1 - random()) * 1_000) / ordersPerSecond;
    arrivedMs.push(nowMs);
    engineFreeMs = Math.max(engineFreeMs, nowMs) + costs.engineUs / 1_000;
    busyMs += costs.engineUs / 1_000;
    appliedMs.push(engineFreeMs);
  }
  const latencyMs: number[] = [];
  let [first, freeMs, groups, mostWaiting] = [0, 0, 0, 0];
  while (first < orders) {
    const leavesMs = Math.max(freeMs, appliedMs[first] as number);
    let end = first;
    while (end < orders && (appliedMs[end] as number) <= leavesMs) end++;
    const size = end - first;
    freeMs = leavesMs + costs.groupMs + (size * costs.commandUs) / 1_000;
    for (let order = first; order < end; order++) {
      latencyMs.push(freeMs - (arrivedMs[order] as number));
    }
    mostWaiting = Math.max(mostWaiting, size);
    groups++;
    first = end;
  }
  latencyMs.sort((one, other) => one - other);
  const lastMs = Math.max(freeMs, engineFreeMs);
  const at = (part: number): number => latencyMs[Math.floor(part * (orders - 1))] as number;
  return {
    ordersPerSecond: Math.round((orders * 1_000) / lastMs),
    busy: busyMs / lastMs,
    groupsPerSecond: (groups * 1_000) / lastMs,
    meanGroup: orders / groups,
    medianMs: at(0.5),
    p99Ms: at(0.99),
    mostWaiting,
  };
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** An engine thread with crossing orders and a journal, and three log servers on a busy machine with two cores. */
const MEASURED: Costs = { engineUs: 15, groupMs: 5, commandUs: 9 };

const [rate, engineUs, groupMs, commandUs] = process.argv.slice(2).map(Number);
const costs: Costs = {
  engineUs: engineUs ?? MEASURED.engineUs,
  groupMs: groupMs ?? MEASURED.groupMs,
  commandUs: commandUs ?? MEASURED.commandUs,
};
const rates = rate === undefined ? [500, 5_000, 50_000, 60_000, 100_000] : [rate, 10 * rate];
console.log('offered/s  carried/s  engine busy  groups/s  mean group  p50 ms  p99 ms  waiting');
for (const offered of rates) {
  const found = simulate(offered, costs);
  const columns = [
    String(offered).padStart(9),
    String(found.ordersPerSecond).padStart(9),
    `${(100 * found.busy).toFixed(0)} %`.padStart(11),
    found.groupsPerSecond.toFixed(0).padStart(8),
    found.meanGroup.toFixed(1).padStart(10),
    found.medianMs.toFixed(1).padStart(6),
    found.p99Ms.toFixed(1).padStart(6),
    String(found.mostWaiting).padStart(7),
  ];
  console.log(columns.join('  '));
}
