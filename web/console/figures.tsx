import { useEffect } from 'react';
import type { ReplyOf } from '../../src/client/index.ts';
import { getOverview } from '../../src/wire/operator-reports.ts';
import { listWithdrawals } from '../../src/wire/operator-wallet.ts';
import { Icon } from '../shared/icons.tsx';
import { linkTo } from '../shared/navigate.ts';
import { clockText, grouped, isZero, NONE, shown } from '../shared/number-text.ts';
import { createStore, useStore } from '../shared/store.ts';
import './figures.css';
import { now, useOldSince, useRead } from './reads.ts';
import { ageText, nativeShort, sumText } from './text.ts';

type Glance = ReplyOf<typeof getOverview>;
type Sample = Pick<
  Glance,
  'time' | 'commandsPerSecond' | 'syncMedianMs' | 'historyLag' | 'insurance'
>;

/** The last minute, as seen by this tab. */
const samples = createStore<readonly Sample[]>([]);
const SAMPLES_MAX = 60;
/** Fewer samples do not make a line. */
const SAMPLES_LEAST = 5;

/** Held withdrawals that are valued. */
const HELD_MAX = 200;

/** The venue at a glance: six figures, each with a second one below it that puts it into context. */
export function Figures() {
  const overview = useRead(getOverview, {});
  const { data: held } = useRead(listWithdrawals, { held: 'true', limit: String(HELD_MAX) });
  const nowMs = useStore(now, (ms) => ms);
  const seen = useStore(samples, (all) => all);
  const oldSince = useOldSince([overview]);
  const { data } = overview;
  useEffect(() => {
    if (data === undefined) return;
    samples.update((all) =>
      all.at(-1)?.time === data.time ? all : [...all, data].slice(-SAMPLES_MAX),
    );
  }, [data]);
  const series = (of: (sample: Sample) => string | undefined): number[] =>
    seen.map((sample) => Number(of(sample) ?? 0));
  const value = held === undefined ? undefined : sumText(held.map(({ checks }) => checks.value));
  const isPart = held?.length === HELD_MAX;
  const oldest = held?.[0];
  const atRisk = data === undefined ? '0' : data.accountsAtRisk;
  return (
    <section
      className={oldSince === undefined ? 'figures' : 'figures old'}
      aria-label="At a glance"
    >
      <Figure
        name="Commands"
        value={data === undefined ? NONE : grouped(data.commandsPerSecond)}
        unit="/s"
        below={`${data?.waiting ?? NONE} wait for the disk`}
        series={series(({ commandsPerSecond }) => commandsPerSecond)}
      />
      <Figure
        name="Journal sync"
        value={shown(data?.syncMedianMs, 2)}
        unit="ms"
        below={`p99 ${shown(data?.syncP99Ms, 1)} · follower ${data?.followerLag ?? NONE} behind`}
        series={series(({ syncMedianMs }) => syncMedianMs)}
      />
      <Figure
        name="History lag"
        value={data === undefined ? NONE : grouped(data.historyLag)}
        unit="commands"
        isWarned={data?.historyTrouble !== undefined}
        below={data?.historyTrouble ?? 'reads wait for it'}
        series={series(({ historyLag }) => historyLag)}
      />
      <Figure
        name="Held withdrawals"
        value={data?.heldWithdrawals ?? NONE}
        unit={value === undefined ? '' : `${isPart ? 'at least ' : ''}${nativeShort(value)} OX`}
        isWarned={data !== undefined && data.heldWithdrawals !== '0'}
        to="/console/withdrawals"
        below={
          oldest === undefined
            ? 'nobody waits'
            : `oldest waits ${ageText(nowMs - Number(oldest.requestedAt))}`
        }
      />
      <Figure
        name="Accounts at risk"
        value={data === undefined ? NONE : grouped(atRisk)}
        unit="at 50 and above"
        isWarned={atRisk !== '0'}
        to="/console/risk"
        below={`${data?.liquidating ?? NONE} liquidating`}
      />
      <Figure
        name="Insurance"
        value={nativeShort(data?.insurance)}
        unit="OX"
        isWarned={data !== undefined && !isZero(data.deficit)}
        to="/console/solvency"
        below={`deficit ${nativeShort(data?.deficit)}`}
        series={series(({ insurance }) => insurance)}
      />
      {oldSince === undefined ? null : (
        <p className="chip warn" role="status">
          as of {clockText(oldSince)}
        </p>
      )}
    </section>
  );
}

function Figure(props: {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  readonly below: string;
  readonly isWarned?: boolean;
  readonly to?: string;
  readonly series?: readonly number[];
}) {
  const { name, value, unit, below, isWarned = false, to, series } = props;
  return (
    <div className={isWarned ? 'figure warned' : 'figure'}>
      <p className="name">
        {isWarned ? <Icon name="warn" /> : null}
        {to === undefined ? name : <a {...linkTo(to)}>{name}</a>}
      </p>
      <p className="value num">
        <b>{value}</b> <span className="t3">{unit}</span>
      </p>
      {series === undefined ? null : <Spark series={series} />}
      <p className="below num" title={below}>
        {below}
      </p>
    </div>
  );
}

const WIDTH = 56;
const HEIGHT = 24;

/** A minute as a line, scaled to itself; the figure beside it has the number. */
function Spark({ series }: { readonly series: readonly number[] }) {
  if (series.length < SAMPLES_LEAST) return null;
  const [low, high] = [Math.min(...series), Math.max(...series)];
  const y = (value: number): number =>
    high === low ? HEIGHT / 2 : HEIGHT - 3 - ((value - low) / (high - low)) * (HEIGHT - 6);
  const x = (at: number): number => 2 + (at / (SAMPLES_MAX - 1)) * (WIDTH - 6);
  const begins = SAMPLES_MAX - series.length;
  const points = series.map((value, at) => `${x(begins + at).toFixed(1)},${y(value).toFixed(1)}`);
  return (
    <svg className="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <polyline points={points.join(' ')} />
      <circle cx={x(SAMPLES_MAX - 1)} cy={y(series.at(-1) ?? 0)} r="2" />
    </svg>
  );
}
