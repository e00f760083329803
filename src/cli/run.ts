import type { Venue } from '../main.ts';

/** Keeps a venue running until it is told to stop; a second signal does not wait. */
export function runUntilSignal(venue: Venue): void {
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) process.exit(130);
    isStopping = true;
    venue.stop().then(
      () => process.exit(process.exitCode ?? 0),
      (cause: unknown) => {
        venue.log.fatal({ err: cause }, 'the venue did not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

/** What went wrong, in a sentence: people at a terminal are not helped by a stack. */
export async function orExplain(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    console.error(cause instanceof Error ? cause.message : String(cause));
    process.exit(1);
  }
}
