import type { ReplyOf } from '../../src/client/index.ts';
import { getOverview } from '../../src/wire/operator-reports.ts';
import { getClocks } from '../../src/wire/operator-venue.ts';
import { Icon } from '../shared/icons.tsx';
import { grouped, NONE, shown, timeText } from '../shared/number-text.ts';
import { useStore } from '../shared/store.ts';
import { Facts, List, Panel } from './panel.tsx';
import { now, useRead } from './reads.ts';
import { ageText, bytesText } from './text.ts';

/** Up to this difference the clocks count as equal. */
const CLOCKS_DIFFER_MS = 5_000;

/** The health of the machine under the venue: disk, copies, clocks, chains. */
export function Health() {
  const overview = useRead(getOverview, {});
  const clocks = useRead(getClocks, {});
  const nowMs = useStore(now, (ms) => ms);
  const { data } = overview;
  if (data === undefined) return <div className="waiting" aria-busy="true" />;
  const apartMs =
    clocks.data === undefined ? 0 : Number(clocks.data.wallTime) - Number(clocks.data.engineTime);
  return (
    <>
      <Troubles data={data} apartMs={apartMs} />
      <div className="cols">
        <Panel title="Writer" reads={[overview]}>
          <Facts
            facts={[
              ['Sequence', grouped(data.sequence)],
              ['Commands a second', grouped(data.commandsPerSecond)],
              ['Waiting for the disk', data.waiting],
              ['Journal sync, middle', `${shown(data.syncMedianMs, 3)} ms`],
              ['Journal sync, slowest of 100', `${shown(data.syncP99Ms, 3)} ms`],
              [
                'Free on the disk',
                data.diskFreeBytes === undefined ? NONE : bytesText(data.diskFreeBytes),
              ],
            ]}
          />
        </Panel>
        <Panel title="Follower and history" reads={[overview]}>
          <Facts
            facts={[
              ['Follower behind', `${data.followerLag ?? NONE} commands`],
              ['Digest', <code key="digest">{data.digest}</code>],
              [
                'Every invariant checked',
                data.auditedAt === undefined
                  ? 'not since the start'
                  : `${ageText(nowMs - Number(data.auditedAt))} ago`,
              ],
              ['Checked at sequence', grouped(data.auditedSequence ?? NONE)],
              ['History behind', `${data.historyLag} commands`],
              ['History', data.historyTrouble ?? 'goes on'],
            ]}
          />
          <p className="note">
            The follower replays the journal on its own thread and compares the digest of every
            command with the writer’s. A difference, or an audit that finds a fault, stops the
            venue.
          </p>
        </Panel>
        <Panel title="Clocks" reads={[clocks]}>
          <Facts
            facts={[
              ['Engine', timeText(Number(clocks.data?.engineTime ?? 0))],
              ['Machine', timeText(Number(clocks.data?.wallTime ?? 0))],
              ['Apart', `${apartMs} ms`],
            ]}
          />
        </Panel>
        <Panel title="Chains" count={data.chains.length} reads={[overview]}>
          <List
            label="Chains"
            rows={data.chains}
            keyOf={({ network }) => network}
            empty="No chain is served."
            columns={[
              { name: 'Network', show: ({ network }) => <b>{network}</b> },
              { name: 'Block', isRight: true, show: ({ height }) => grouped(height) },
              {
                name: 'State',
                show: ({ trouble }) =>
                  trouble === undefined ? (
                    <span className="good">Read</span>
                  ) : (
                    <span className="warn">{trouble}</span>
                  ),
              },
            ]}
          />
        </Panel>
      </div>
    </>
  );
}

/** What needs attention; one line if there is nothing. */
function Troubles(props: { readonly data: ReplyOf<typeof getOverview>; readonly apartMs: number }) {
  const { data, apartMs } = props;
  const found = [
    data.ordersRefused === undefined ? [] : [`New orders are not taken: ${data.ordersRefused}.`],
    data.historyTrouble === undefined ? [] : [`History stands still: ${data.historyTrouble}.`],
    Math.abs(apartMs) > CLOCKS_DIFFER_MS
      ? [`The clocks are ${apartMs} ms apart: set the machine’s, or confirm it.`]
      : [],
    data.chains.flatMap(({ network, trouble }) =>
      trouble === undefined ? [] : [`${network}: ${trouble}.`],
    ),
    data.markets.flatMap(({ marketCode, state, operational, reason }) =>
      state === 'OPEN' && operational
        ? []
        : [`${marketCode} takes no orders: ${reason === '' ? 'no index price of now' : reason}.`],
    ),
  ].flat();
  if (found.length === 0) {
    return (
      <p className="strip good">
        <Icon name="ok" />
        Nothing is wrong.
      </p>
    );
  }
  return (
    <ul className="troubles" aria-label="Troubles">
      {found.map((words) => (
        <li key={words} className="strip warn">
          <Icon name="warn" />
          {words}
        </li>
      ))}
    </ul>
  );
}
