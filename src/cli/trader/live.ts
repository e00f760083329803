/** Commands that run until they are stopped. */

/**
 * Runs until Ctrl-C, or until it has printed this many items (0: no limit). `start` returns a function that
 * ends it; it calls the first function for each printed item, the second for an error.
 */
export function untilStopped(
  count: number,
  start: (onPrinted: () => void, onError: (words: string) => void) => () => void,
): Promise<void> {
  return new Promise((resolve) => {
    let printed = 0;
    let stop = (): void => undefined;
    const end = (): void => {
      process.off('SIGINT', end);
      process.off('SIGTERM', end);
      stop();
      resolve();
    };
    process.on('SIGINT', end);
    process.on('SIGTERM', end);
    stop = start(
      () => {
        printed++;
        if (printed === count) end();
      },
      (words) => console.error(words),
    );
  });
}

/** In a terminal each screen replaces the last one; in a pipe they follow each other. */
export const screenOf =
  (output: NodeJS.WriteStream) =>
  (text: string): void => {
    output.write(output.isTTY ? `\x1b[H\x1b[J${text}\n` : `${text}\n\n`);
  };
