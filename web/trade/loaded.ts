import { useStore } from '../shared/store.ts';
import { live } from './feed.ts';

/** The account's lists arrive a moment after sign-in; until then an empty one means nothing. */
export function useLoaded<Row>(rows: readonly Row[]): readonly Row[] | undefined {
  const isLoaded = useStore(live, ({ account }) => account !== undefined);
  return isLoaded || rows.length > 0 ? rows : undefined;
}
