import type { RialtoClient } from '../../../src/client/index.ts';
import { csvText, withIsoTimes } from '../../shared/csv.ts';
import type { Filter, Kind } from './kinds.ts';
import { pagesOf, type Span } from './pages.ts';

type Writer = {
  write(text: string): Promise<void>;
  close(): Promise<void>;
};
type Picker = (options: object) => Promise<{ createWritable(): Promise<Writer> }>;

/** A file that is written while data is read, if the browser allows it; otherwise one built in memory. */
async function openFile(name: string): Promise<Writer> {
  const pick = (globalThis as { readonly showSaveFilePicker?: Picker }).showSaveFilePicker;
  if (pick !== undefined) return (await pick({ suggestedName: name })).createWritable();
  const parts: string[] = [];
  return {
    write: async (text) => void parts.push(text),
    close: async () => {
      const url = URL.createObjectURL(new Blob(parts, { type: 'text/csv;charset=utf-8' }));
      const link = document.createElement('a');
      link.href = url;
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    },
  };
}

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
  let file: Writer;
  try {
    file = await openFile(
      `rialto-${kind.name}-${new Date(span.toMs).toISOString().slice(0, 10)}.csv`,
    );
  } catch (reason) {
    if (reason instanceof DOMException && reason.name === 'AbortError') return undefined;
    throw reason;
  }
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
