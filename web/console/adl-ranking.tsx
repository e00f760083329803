import { useState } from 'react';
import type { ReplyOf } from '../../src/client/index.ts';
import type { getRisk } from '../../src/wire/operator-reports.ts';
import { linkTo } from '../shared/navigate.ts';
import { plain, shown } from '../shared/number-text.ts';
import { type Column, List, Panel } from './panel.tsx';
import type { Read } from './reads.ts';

type Risk = ReplyOf<typeof getRisk>;
type Queue = Risk['adl'][number];
type Queued = Queue['positions'][number];

const wordsOf = ({ marketCode, side }: Queue): string =>
  `${marketCode}, ${side === 'LONG' ? 'long' : 'short'}`;

/** The positions that would be closed if nobody else takes the other side of a liquidation. */
export function AdlRanking({ risk }: { readonly risk: Read<Risk> }) {
  const queues = risk.data?.adl ?? [];
  const [selected, setSelected] = useState<string>();
  const queue = queues.find((one) => wordsOf(one) === selected) ?? queues[0];
  return (
    <Panel
      title="ADL ranking"
      note="profit on cost × leverage, the first is closed first"
      reads={[risk]}
    >
      {queues.length === 0 ? null : (
        <div className="filters">
          <label className="fld">
            <span className="sr">Market and side</span>
            <select
              value={queue === undefined ? '' : wordsOf(queue)}
              onChange={(event) => setSelected(event.target.value)}
            >
              {queues.map((one) => (
                <option key={wordsOf(one)}>{wordsOf(one)}</option>
              ))}
            </select>
          </label>
        </div>
      )}
      <List
        label="ADL ranking"
        columns={COLUMNS}
        rows={risk.data === undefined ? undefined : (queue?.positions ?? [])}
        keyOf={({ accountId }) => accountId}
        empty="Nobody has a position."
      />
    </Panel>
  );
}

const COLUMNS: readonly Column<Queued>[] = [
  {
    name: 'Account',
    show: ({ accountId, family, name }) => (
      <a className="ref" title={`${family}, ${name}`} {...linkTo(`/console/accounts/${accountId}`)}>
        {accountId}
      </a>
    ),
  },
  { name: 'Position', isRight: true, show: ({ position }) => plain(position) },
  { name: 'Rank', isRight: true, show: ({ rank }) => shown(rank, 4) },
];
