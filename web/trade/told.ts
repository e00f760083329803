import { useStore } from '../shared/store.ts';
import { live } from './feed.ts';

/** The account's lists arrive a moment after sign-in; until then an empty one means nothing. */
export function useTold<Row>(rows: readonly Row[]): readonly Row[] | undefined {
  const isTold = useStore(live, ({ account }) => account !== undefined);
  return isTold || rows.length > 0 ? rows : undefined;
}
