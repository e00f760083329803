/** Rows as CSV for spreadsheets: full precision, and nothing that a spreadsheet would run as a formula. */
export function csvText(
  names: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): string {
  const lines = rows.map((row) => names.map((name) => cell(row[name])).join(','));
  return `${[names.map(cell).join(','), ...lines].join('\r\n')}\r\n`;
}

function cell(value: unknown): string {
  const text = value === undefined || value === null ? '' : printed(value);
  // A number with its sign stays a number; any other text that begins like a formula gets a quote.
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const printed = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

/** Members that hold milliseconds since 1970 become ISO 8601 in UTC. */
export function withIsoTimes(
  row: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      /At$/.test(name) && typeof value === 'string' && /^\d{12,14}$/.test(value)
        ? new Date(Number(value)).toISOString()
        : value,
    ]),
  );
}
