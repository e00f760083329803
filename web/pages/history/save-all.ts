import type { RialtoClient } from '../../../src/client/index.ts';
import { csvText, withIsoTimes } from '../../shared/csv.ts';
import { openFile } from '../../shared/save-file.ts';
import type { Filter, Kind } from './kinds.ts';
import { pagesOf, type Span } from './pages.ts';

/**
 * Every row of the range, page after page, as CSV. Returns how many there were; undefined if no file was
 * chosen.
 */
export async function saveAll(
  client: RialtoClient,
  what: { readonly kind: Kind; readonly span: Span; readonly filter: Filter },
  onRows: (count: number) => void,
): Promise<number | undefined> {
  const { kind, span, filter } = what;
  const day = new Date(span.toMs).toISOString().slice(0, 10);
  const file = await openFile(`rialto-${kind.name}-${day}.csv`);
  if (file === undefined) return undefined;
  let count = 0;
  await file.write(csvText(kind.members, []));
  const head = csvText(kind.members, []).length;
  for await (const rows of pagesOf(client, kind, span, filter)) {
    await file.write(csvText(kind.members, rows.map(withIsoTimes)).slice(head));
    count += rows.length;
    onRows(count);
  }
  await file.close();
  return count;
}
