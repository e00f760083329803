import type { RialtoClient } from '../../../src/client/index.ts';
import type { Filter, Kind, Row } from './kinds.ts';

/**
 * From the newest to the oldest: windows of seven days, the most that one request covers, and pages by id
 * within each.
 */

const WINDOW_MS = 7 * 86_400_000;

export type Span = { readonly fromMs: number; readonly toMs: number };

export async function* pagesOf(
  client: RialtoClient,
  kind: Kind,
  { fromMs, toMs }: Span,
  filter: Filter,
): AsyncGenerator<readonly Row[], void, void> {
  for (let endMs = toMs; endMs >= fromMs; endMs -= WINDOW_MS) {
    const startTime = String(Math.max(fromMs, endMs - WINDOW_MS + 1));
    const query = { limit: String(kind.pageMax), startTime, endTime: String(endMs) };
    let beforeId: string | undefined;
    for (let isMore = true; isMore; ) {
      const page = beforeId === undefined ? query : { ...query, beforeId };
      const rows = await kind.read(client, page, filter);
      if (rows.length > 0) yield rows;
      beforeId = rows.at(-1)?.id;
      isMore = rows.length >= kind.pageMax;
    }
  }
}
