/** Prints the result of a command: a file that it was to be in, on a full disk, is not taken for complete. */
export function print(text: string): void {
  const cause = lossOf(text);
  // Who reads a pipe may end when it has seen enough.
  if (cause === undefined || cause.code === 'EPIPE') return;
  throw new Error(`the result is not printed: ${cause.message}`);
}

/** For what the venue shows once: on the terminal rather than nowhere. */
export function printSecret(text: string): void {
  const cause = lossOf(text);
  if (cause === undefined) return;
  throw new Error(
    `standard output takes nothing (${cause.message}); this is shown here, this once:\n${text}`,
  );
}

/** The console itself says nothing about what it could not write. */
function lossOf(text: string): NodeJS.ErrnoException | undefined {
  console.log(text);
  return process.stdout.errored ?? undefined;
}
