import { type HistoryOptions, type OpenHistory, openHistory } from './history.ts';
import { HistoryFailed, HistoryRefused } from './refused.ts';

/**
 * A history that may not be available yet: its disk was full or gone when the venue started. Reads fail
 * with HistoryFailed until it can be opened; everything else works. A foreign or damaged history is
 * refused at once.
 */
export function openPatiently(options: HistoryOptions): OpenHistory {
  let opened: OpenHistory | undefined;
  let closed = false;
  const open = (): OpenHistory => {
    if (closed) throw new HistoryFailed('history is closed');
    opened ??= openHistory(options);
    return opened;
  };
  const tryOpen = (): OpenHistory | undefined => {
    try {
      return open();
    } catch (cause) {
      const isMissing = cause instanceof HistoryRefused && cause.reason === 'missing';
      if (isMissing || cause instanceof HistoryFailed) return undefined;
      throw cause;
    }
  };
  tryOpen();
  let trouble = opened === undefined ? 'it cannot be opened' : undefined;
  const own = {
    reached: async (sequence: number, withinMs: number) =>
      (await opened?.reached(sequence, withinMs)) ?? false,
    advanced: (sequence: number) => {
      trouble = undefined;
      tryOpen()?.advanced(sequence);
    },
    halted: (words: string) => {
      trouble = words;
      opened?.halted(words);
    },
    close: () => {
      closed = true;
      opened?.close();
    },
  };
  return new Proxy(own, {
    get: (_, name) => {
      if (name === 'sequence') return opened?.sequence ?? 0;
      if (name === 'trouble') return trouble;
      return name in own ? own[name as keyof typeof own] : questionOf(name as keyof OpenHistory);
    },
  }) as unknown as OpenHistory;

  function questionOf(name: keyof OpenHistory) {
    return (...asked: unknown[]): unknown =>
      (open()[name] as (...asked: unknown[]) => unknown)(...asked);
  }
}
