import type { Venue } from '../main.ts';

/**
 * Keeps a venue running until it is told to stop; a second signal does not wait. A hangup is what a
 * closed terminal sends, and what administrators send to a service: stop, or read again.
 */
export function runUntilSignal(venue: Venue, onHangup: 'stop' | 'reload'): void {
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) {
      venue.abandon();
      process.exit(130);
    }
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
  process.on('SIGHUP', onHangup === 'stop' ? stop : () => venue.reloadTls());
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
