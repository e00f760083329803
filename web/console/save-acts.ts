import type { RequestOf } from '../../src/client/index.ts';
import type { listActs } from '../../src/wire/operator-reports.ts';
import { csvText, withIsoTimes } from '../shared/csv.ts';
import type { FileWriter } from '../shared/save-file.ts';
import type { Act } from './audit-feed.tsx';
import { subjectText } from './text.ts';

const PAGE = 1_000;
const NAMES = [
  'sequence',
  'timeAt',
  'actor',
  'act',
  'subject',
  'before',
  'after',
  'reason',
  'refused',
];

type Asked = RequestOf<typeof listActs>;

/** Every act of the range that fits, page after page, as CSV; however many there are. Returns their number. */
export async function saveActs(
  read: (asked: Asked) => Promise<readonly Act[]>,
  what: { readonly filter: Asked; readonly fits: (act: Act) => boolean; readonly file: FileWriter },
  onRows: (count: number) => void,
): Promise<number> {
  const { filter, fits, file } = what;
  const head = csvText(NAMES, []);
  await file.write(head);
  let count = 0;
  let beforeSequence: string | undefined;
  do {
    const from = beforeSequence === undefined ? {} : { beforeSequence };
    const page = await read({ ...filter, ...from, limit: String(PAGE) });
    const rows = page.filter(fits).map(shaped);
    await file.write(csvText(NAMES, rows).slice(head.length));
    count += rows.length;
    onRows(count);
    beforeSequence = page.length < PAGE ? undefined : page.at(-1)?.sequence;
  } while (beforeSequence !== undefined);
  await file.close();
  return count;
}

const shaped = ({ time, subject, ...act }: Act) =>
  withIsoTimes({ ...act, timeAt: time, subject: subjectText(subject) });
