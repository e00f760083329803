import { type SubmitEvent, useState } from 'react';
import type { RequestOf } from '../../src/client/index.ts';
import { listActs } from '../../src/wire/operator-reports.ts';
import { Icon } from '../shared/icons.tsx';
import { notify, notifyRefusal } from '../shared/messages.tsx';
import { navigate } from '../shared/navigate.ts';
import { clockText, grouped, timeText } from '../shared/number-text.ts';
import { openFile } from '../shared/save-file.ts';
import { type Act, Subject } from './audit-feed.tsx';
import { type Column, List, Panel } from './panel.tsx';
import { useRead } from './reads.ts';
import type { Place } from './routes.ts';
import { saveActs } from './save-acts.ts';
import { query as ask } from './session.ts';
import { didText, nameOf, standingText, subjectText } from './text.ts';

const DAY_MS = 86_400_000;

type Filter = { readonly actor?: string; readonly startTime?: string; readonly endTime?: string };

/** Who did what, before and after. The filter is in the URL, so that it can be shared. */
export function AuditLog({ query }: Place) {
  const [word, setWord] = useState(query.get('word') ?? '');
  const filter = filterOf(query);
  const acts = useRead(listActs, { ...filter, limit: '500' });
  const wanted = (query.get('word') ?? '').toLowerCase();
  const fits = (act: Act): boolean =>
    wanted === '' ||
    [act.actor, didText(act), subjectText(act.subject), act.reason, act.after]
      .join(' ')
      .toLowerCase()
      .includes(wanted);
  const rows = acts.data?.filter(fits);
  const [saved, setSaved] = useState<number>();
  const save = async (): Promise<void> => {
    if (saved !== undefined) return;
    try {
      const file = await openFile('rialto-audit-log.csv');
      if (file === undefined) return;
      setSaved(0);
      const read = (asked: RequestOf<typeof listActs>) => ask(listActs, asked);
      const count = await saveActs(read, { filter, fits, file }, setSaved);
      notify('good', `${grouped(String(count))} acts saved`);
    } catch (why) {
      notifyRefusal('No file', why);
    }
    setSaved(undefined);
  };
  const onSubmit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const sent = [...new FormData(event.currentTarget)].filter(([, value]) => value !== '');
    const next = new URLSearchParams(sent as [string, string][]);
    navigate(`/console/audit?${next}`);
  };
  return (
    <Panel
      title="Acts of operators"
      count={rows?.length}
      note={
        saved === undefined
          ? 'newest first, the last 500; CSV has all'
          : `${grouped(String(saved))} acts read`
      }
      beside={
        <button type="button" className="btn s ghost" onClick={() => void save()}>
          <Icon name="csv" />
          CSV
        </button>
      }
      reads={[acts]}
    >
      <form className="filters" aria-label="Filter" onSubmit={onSubmit}>
        <label className="fld">
          <span>Operator</span>
          <input name="actor" defaultValue={query.get('actor') ?? ''} spellCheck={false} />
        </label>
        <label className="fld">
          <span>Word</span>
          <input name="word" value={word} onChange={(event) => setWord(event.target.value)} />
        </label>
        <label className="fld">
          <span>From, UTC</span>
          <input name="from" type="date" defaultValue={query.get('from') ?? ''} />
        </label>
        <label className="fld">
          <span>To, UTC</span>
          <input name="to" type="date" defaultValue={query.get('to') ?? ''} />
        </label>
        <button type="submit" className="btn">
          Filter
        </button>
      </form>
      <List
        label="Acts of operators"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ sequence }) => sequence}
        empty="No act fits."
      />
    </Panel>
  );
}

/** On narrow screens the date is in the title. */
const WhenCell = ({ ms }: { readonly ms: number }) => (
  <span className="t2" title={timeText(ms)}>
    <span className="from-m">{timeText(ms).slice(0, 11)}</span>
    {clockText(ms)}
  </span>
);

const COLUMNS: readonly Column<Act>[] = [
  { name: 'Time', show: ({ time }) => <WhenCell ms={Number(time)} /> },
  { name: 'Who', show: ({ actor }) => <b>{nameOf(actor)}</b> },
  { name: 'Did', isWrapped: true, show: (act) => didText(act) },
  { name: 'What', isWrapped: true, show: ({ subject }) => <Subject subject={subject} /> },
  {
    name: 'Before',
    from: 'l',
    show: ({ before }) => (
      <span className="t2 cut" title={standingText(before)}>
        {standingText(before)}
      </span>
    ),
  },
  {
    name: 'After',
    from: 'm',
    show: ({ after }) => (
      <span className="cut" title={standingText(after)}>
        {standingText(after)}
      </span>
    ),
  },
  {
    name: 'Reason',
    from: 'l',
    show: ({ reason }) => (
      <span className="t2 cut" title={reason}>
        {reason}
      </span>
    ),
  },
  { name: 'Sequence', isRight: true, from: 'xl', show: ({ sequence }) => sequence },
];

function filterOf(query: URLSearchParams): Filter {
  const actor = query.get('actor') ?? '';
  const from = Date.parse(`${query.get('from')}T00:00:00Z`);
  const to = Date.parse(`${query.get('to')}T00:00:00Z`);
  return {
    ...(actor === '' ? {} : { actor: actor.includes(':') ? actor : `operator:${actor}` }),
    ...(Number.isNaN(from) ? {} : { startTime: String(from) }),
    ...(Number.isNaN(to) ? {} : { endTime: String(to + DAY_MS - 1) }),
  };
}
