import { keptStore } from '../shared/store.ts';

/** Positions of the borders between panels in this browser; undefined is the default. */
export type Layout = {
  readonly bookWidth: number | undefined;
  readonly blotterHeight: number | undefined;
  readonly isBookShown: boolean;
};

const FIRST: Layout = { bookWidth: undefined, blotterHeight: undefined, isBookShown: true };

export const layout = keptStore<Layout>('rialto-layout', FIRST);

export const foldBook = (): void =>
  layout.update((before) => ({ ...before, isBookShown: !before.isBookShown }));
