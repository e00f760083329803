/** The result of a benchmark: a value, and its ratio to a reference measured in the same run. */
export type Figure = {
  /** The goal's number, e.g. S2. */
  readonly id: string;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly ratio?: number;
  /** What the ratio refers to. */
  readonly to?: string;
  /** The goal as text, and whether this run has met it. */
  readonly goal?: string;
  readonly isMet?: boolean;
};

/** CPU time of this thread: on a shared machine, wall-clock time would include other load. */
export function cpuNanoseconds(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) * 1_000;
}

/** The same for asynchronous work. */
export async function cpuNanosecondsOf(run: () => Promise<void>): Promise<number> {
  const before = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) * 1_000;
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] as number;

export function printTable(figures: readonly Figure[]): void {
  const rows = figures.map(({ id, name, value, unit, ratio, to, goal, isMet }) => [
    id,
    name,
    `${digits(value)} ${unit}`,
    ratio === undefined ? '' : `${digits(ratio)} x ${to ?? ''}`,
    goal ?? '',
    isMet === undefined ? '' : isMet ? 'yes' : 'NO',
  ]);
  const all = [['', 'what', 'value', 'ratio in this run', 'goal', 'met'], ...rows];
  const widths = all[0]?.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0))) ?? [];
  for (const row of all) {
    console.log(row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
  }
}

const digits = (value: number): string =>
  value >= 1_000
    ? Math.round(value).toLocaleString('en-US')
    : value >= 100
      ? value.toFixed(0)
      : value.toFixed(value >= 10 ? 1 : 2);
