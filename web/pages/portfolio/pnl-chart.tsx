import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { shown, signed, timeText } from '../../shared/number-text.ts';
import { settings } from '../../shared/settings.ts';
import { useStore } from '../../shared/store.ts';
import { plainText } from '../../trade/value.tsx';
import { type Bucket, boundsOf, marksOf, ticksOf } from './series.ts';

export const VIEWS = [
  { name: 'equity', label: 'Equity' },
  { name: 'pnl', label: 'Realised PnL' },
  { name: 'funding', label: 'Funding' },
] as const;
export type View = (typeof VIEWS)[number]['name'];

const HEIGHT = 240;
const LEFT = 8;
const TOP = 12;
const BOTTOM = 24;
/** The width of a time label with its margin. */
const MARK_PX = 56;
const MARKS_MAX = 8;

const shownOf = (bucket: Bucket, view: View): number =>
  view === 'equity' ? bucket.equity : view === 'pnl' ? bucket.realized : bucket.funding;

const amountText = (value: number): string =>
  shown(plainText(value), Math.abs(value) < 10_000 ? 2 : 0);

/** A line for equity, bars for PnL. Arrow keys move along it as the pointer does. */
export function PnlChart(props: {
  readonly buckets: readonly Bucket[];
  readonly view: View;
  readonly unit: string;
  readonly label: string;
}) {
  const { buckets, view, unit, label } = props;
  const zone = useStore(settings, (all) => all.zone);
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  const [chosen, setChosen] = useState<number>();
  useEffect(() => {
    const box = frame.current;
    if (box === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(Math.max(240, box.clientWidth)));
    observer.observe(box);
    return () => observer.disconnect();
  }, []);
  const last = buckets.length - 1;
  const at = Math.min(chosen ?? last, last);
  const values = buckets.map((bucket) => shownOf(bucket, view));
  const isLine = view === 'equity';
  const { low, high } = boundsOf(values, !isLine);
  const ticks = ticksOf(low, high, 4);
  // Room for the longest label.
  const right = 16 + 7 * Math.max(...ticks.map((tick) => amountText(tick).length));
  const plotWidth = width - LEFT - right;
  const stepWidth = plotWidth / Math.max(1, buckets.length);
  const x = (index: number): number => LEFT + stepWidth * (index + 0.5);
  const y = (value: number): number =>
    TOP + ((high - value) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const bucket = buckets[at];
  const words =
    bucket === undefined
      ? ''
      : `${timeText(bucket.atMs, zone).slice(0, 16)} ${sign(shownOf(bucket, view), view)} ${unit}`;
  const move = (to: number): void => setChosen(Math.max(0, Math.min(last, to)));
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  };
  const onPointerMove = (event: PointerEvent): void => {
    const box = event.currentTarget.getBoundingClientRect();
    move(Math.floor((event.clientX - box.left - LEFT) / stepWidth));
  };
  return (
    <div className="pg-chart" ref={frame}>
      <p className="pg-reading num">{words}</p>
      <div
        className="pg-plot"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, last)}
        aria-valuenow={Math.max(0, at)}
        aria-valuetext={words}
        onKeyDown={onKeyDown}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setChosen(undefined)}
      >
        <svg width={width} height={HEIGHT} aria-hidden="true">
          {ticks.map((tick) => (
            <g key={tick}>
              <line
                className={tick === 0 ? 'zero' : ''}
                x1={LEFT}
                x2={width - right}
                y1={y(tick)}
                y2={y(tick)}
              />
              <text x={width - right + 8} y={y(tick) + 4}>
                {amountText(tick)}
              </text>
            </g>
          ))}
          <TimeMarks {...{ buckets, x, zone }} y={HEIGHT - 6} />
          {isLine ? (
            <Line
              supposed={buckets.findIndex(({ isNoted }) => isNoted)}
              points={values.map((value, index) => [x(index), y(value)] as const)}
              floor={HEIGHT - BOTTOM}
            />
          ) : (
            values.map((value, index) => (
              <Bar
                key={buckets[index]?.atMs}
                isUp={value >= 0}
                x={x(index) - Math.max(1, stepWidth * 0.36)}
                width={Math.max(2, stepWidth * 0.72)}
                from={y(0)}
                to={y(value)}
              />
            ))
          )}
          {chosen === undefined || bucket === undefined ? null : (
            <line className="cross" x1={x(at)} x2={x(at)} y1={TOP} y2={HEIGHT - BOTTOM} />
          )}
          {isLine && bucket !== undefined ? (
            <circle cx={x(at)} cy={y(shownOf(bucket, view))} r="3.5" />
          ) : null}
        </svg>
      </div>
    </div>
  );
}

const sign = (value: number, view: View): string =>
  view === 'equity' ? amountText(value) : signed(plainText(value), () => amountText(value));

const Line = (props: {
  readonly points: readonly (readonly [number, number])[];
  /** How many of the first points are assumed, not recorded. */
  readonly supposed: number;
  readonly floor: number;
}) => {
  const { points, supposed, floor } = props;
  const drawn = (some: readonly (readonly [number, number])[]): string =>
    some.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');
  const known = points.slice(supposed);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return null;
  return (
    <>
      <path className="area" d={`${drawn(known)}L${last[0]} ${floor}L${first[0]} ${floor}Z`} />
      <path className="curve supposed" d={drawn(points.slice(0, supposed + 1))} />
      <path className="curve" d={drawn(known)} />
    </>
  );
};

/** Up is hollow, down is filled: not by colour alone. */
const Bar = (props: {
  readonly isUp: boolean;
  readonly x: number;
  readonly width: number;
  readonly from: number;
  readonly to: number;
}) => {
  const { isUp, x, width, from, to } = props;
  const height = Math.abs(to - from);
  if (height < 0.01) return null;
  const tall = Math.max(1.5, height);
  return (
    <rect
      className={isUp ? 'up' : 'down'}
      x={x}
      y={isUp ? from - tall : from}
      width={width}
      height={tall}
    />
  );
};

function TimeMarks(props: {
  readonly buckets: readonly Bucket[];
  readonly x: (index: number) => number;
  readonly y: number;
  readonly zone: 'utc' | 'local';
}) {
  const { buckets, x, y, zone } = props;
  const isHours = (buckets[1]?.atMs ?? 0) - (buckets[0]?.atMs ?? 0) < 4 * 3_600_000;
  const words = buckets.map(({ atMs }) =>
    isHours ? timeText(atMs, zone).slice(11, 16) : timeText(atMs, zone).slice(5, 10),
  );
  const countMax = Math.min(MARKS_MAX, Math.floor((x(buckets.length) - x(0)) / MARK_PX));
  return marksOf(words, countMax).map((index) => (
    <text key={index} className="mark" x={x(index)} y={y}>
      {words[index]}
    </text>
  ));
}
