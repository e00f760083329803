/** Rows as aligned columns under their names, for people; programs ask for --json. */
export function tableText<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => string>>,
): string {
  const names = Object.keys(columns);
  const lines = [names, ...rows.map((row) => Object.values(columns).map((cell) => cell(row)))];
  const widths = names.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export const jsonText = (value: unknown): string => JSON.stringify(value, null, 2);

/** "2026-11-15 10:15:14" in UTC, from milliseconds as text. */
export const timeCell = (timeMs: string | undefined): string =>
  timeMs === undefined
    ? '-'
    : new Date(Number(timeMs)).toISOString().slice(0, 19).replace('T', ' ');
