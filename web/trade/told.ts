import { useStore } from '../shared/store.ts';
import { live } from './feed.ts';

/** Lists of an account are told a moment after it was signed in to; until then an empty one says nothing. */
export function useTold<Row>(rows: readonly Row[]): readonly Row[] | undefined {
  const isTold = useStore(live, ({ account }) => account !== undefined);
  return isTold || rows.length > 0 ? rows : undefined;
}
