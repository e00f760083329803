import { keptStore } from '../../shared/store.ts';

/** Sizes of the last orders of each market in this browser, newest first, to know what is usual. */
const SIZES_MAX = 20;
const MARKETS_MAX = 50;

export const sentSizes = keptStore<Readonly<Record<string, readonly string[]>>>('rialto-sizes', {});

export function noteSize(marketCode: string, size: string): void {
  sentSizes.update((before) => {
    const { [marketCode]: known = [], ...others } = before;
    const kept = Object.entries(others).slice(0, MARKETS_MAX - 1);
    return { [marketCode]: [size, ...known].slice(0, SIZES_MAX), ...Object.fromEntries(kept) };
  });
}
