import { type HistoryOptions, type OpenHistory, openHistory } from './history.ts';
import { HistoryFailed, HistoryRefused } from './refused.ts';

/**
 * A history that may not be available yet: its disk was full or gone, or its server could not be reached,
 * when the venue started. Reads fail with HistoryFailed until it can be opened; everything else works. A
 * foreign or damaged history is refused immediately.
 */
export async function openWithRetry(options: HistoryOptions): Promise<OpenHistory> {
  let opened: OpenHistory | undefined;
  let opening: Promise<OpenHistory> | undefined;
  let isClosed = false;
  let reached = 0;
  /** One attempt at a time, and none after the one that succeeded. */
  const open = async (): Promise<OpenHistory> => {
    if (isClosed) throw new HistoryFailed('history is closed');
    if (opened !== undefined) return opened;
    opening ??= openHistory(options).finally(() => {
      opening = undefined;
    });
    const found = await opening;
    opened = found;
    found.advanced(reached);
    if (isClosed) await found.close();
    return found;
  };
  const tryOpen = async (): Promise<void> => {
    try {
      await open();
    } catch (cause) {
      const isMissing = cause instanceof HistoryRefused && cause.reason === 'missing';
      if (!isMissing && !(cause instanceof HistoryFailed)) throw cause;
    }
  };
  await tryOpen();
  let trouble = opened === undefined ? 'it cannot be opened' : undefined;
  const own = {
    reached: async (sequence: number, withinMs: number) => {
      if (opened === undefined) await tryOpen();
      return (await opened?.reached(sequence, withinMs)) ?? false;
    },
    advanced: (sequence: number) => {
      trouble = undefined;
      reached = Math.max(reached, sequence);
      opened?.advanced(sequence);
      // If it cannot be opened now either, the next read says why.
      if (opened === undefined) void tryOpen().catch(() => undefined);
    },
    halted: (words: string, sequence?: number) => {
      trouble = words;
      reached = Math.min(reached, sequence ?? reached);
      opened?.halted(words, sequence);
    },
    close: async () => {
      isClosed = true;
      await opened?.close();
    },
  };
  return new Proxy(own, {
    get: (_, name) => {
      if (name === 'sequence') return opened?.sequence ?? 0;
      if (name === 'trouble') return trouble;
      // Resolving a promise with this object looks up `then` on it.
      if (name === 'then') return undefined;
      return name in own ? own[name as keyof typeof own] : forwarded(name as keyof OpenHistory);
    },
  }) as unknown as OpenHistory;

  function forwarded(name: keyof OpenHistory) {
    return async (...args: unknown[]): Promise<unknown> =>
      ((await open())[name] as (...args: unknown[]) => unknown)(...args);
  }
}
