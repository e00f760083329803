/** What goes on until somebody stops it. */

/**
 * Runs until Ctrl-C or until it has told so many things (0: as many as come). `start` returns what ends it; it calls
 * the first function for each thing it has told, the second for what went wrong.
 */
export function untilStopped(
  count: number,
  start: (tell: () => void, fail: (words: string) => void) => () => void,
): Promise<void> {
  return new Promise((resolve) => {
    let told = 0;
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
        told++;
        if (told === count) end();
      },
      (words) => console.error(words),
    );
  });
}

/** In a terminal the next picture takes the place of the last; in a pipe they follow each other. */
export const screenOf =
  (output: NodeJS.WriteStream) =>
  (text: string): void => {
    output.write(output.isTTY ? `\x1b[H\x1b[J${text}\n` : `${text}\n\n`);
  };
