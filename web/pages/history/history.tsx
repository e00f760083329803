import './history.css';
import { useCallback, useEffect, useId, useRef, useState } from 'react';
import { WALLET_TYPES } from '../../../src/domain/terms.ts';
import { askerNow } from '../../shared/asker.ts';
import { inWords } from '../../shared/ended-words.ts';
import { Icon } from '../../shared/icons.tsx';
import { reasonText } from '../../shared/messages.tsx';
import { navigate, useAddress } from '../../shared/navigate.ts';
import { grouped } from '../../shared/number-text.ts';
import { useQuery } from '../../shared/query.ts';
import { clientOf, endedBy, publicClient, type Session } from '../../shared/session.ts';
import { settings } from '../../shared/settings.ts';
import { useStore } from '../../shared/store.ts';
import { Choice, Tabs } from '../../shared/tabs.tsx';
import { venueNowMs } from '../../shared/venue-clock.ts';
import { markets } from '../../trade/feed.ts';
import { PERIODS, searchOf, spanOf, type View, viewOf } from './address.ts';
import { cellOf, isRightOf } from './cells.tsx';
import { type Filter, KINDS, kindOf, type Row } from './kinds.ts';
import { pagesOf } from './pages.ts';
import { saveAll } from './save-all.ts';
import { WindowedTable } from './windowed-table.tsx';

const TABS = KINDS.map(({ name, label }) => ({ name, label }));

export function HistoryPage({ session }: { readonly session: Session }) {
  const { search } = new URL(useAddress(), location.origin);
  const view = viewOf(search, venueNowMs());
  const panelId = useId();
  const show = (part: Partial<View>): void => navigate(`/history${searchOf({ ...view, ...part })}`);
  const read = useRows(session, view, searchOf(view));
  const zone = useStore(settings, (all) => all.zone);
  const names = useStore(markets, (all) => all);
  const marketName = (code: string): string =>
    names.find(({ marketCode }) => marketCode === code)?.name ?? code;
  const columns = view.kind.columns.map((column) => ({
    ...{ title: column.title, share: column.share, isRight: isRightOf(column) },
    show: (row: Row) => cellOf(column, row, { zone, marketName }),
  }));
  return (
    <section className="panel pg-history" aria-label="Histories">
      <div className="bar">
        <Tabs
          label="Histories"
          tabs={TABS}
          chosen={view.kind.name}
          panelId={panelId}
          onChoose={(name) => show({ kind: kindOf(name), filter: {} })}
        />
      </div>
      <Filters view={view} onShow={show} session={session} count={read.rows.length} />
      <div id={panelId} role="tabpanel" aria-label={view.kind.label} className="pg-history-rows">
        {read.failure === undefined ? null : (
          <p className="pg-old" role="alert">
            Not read: {reasonText(read.failure)}
            <button type="button" className="btn s" onClick={read.more}>
              Try again
            </button>
          </p>
        )}
        {read.rows.length === 0 && !read.isMore ? (
          <div className="empty">
            <b>Nothing in this time</b>
            <span>Choose a longer range, or take a filter away.</span>
          </div>
        ) : (
          <WindowedTable
            label={view.kind.label}
            columns={columns}
            rows={read.rows}
            keyOf={({ id }) => id}
            isMore={read.isMore && read.failure === undefined}
            onEnd={read.more}
          />
        )}
      </div>
    </section>
  );
}

type Read = {
  readonly rows: readonly Row[];
  readonly isMore: boolean;
  readonly failure: unknown;
  more(): void;
};

/** Rows from the newest on, a page whenever the end comes near. */
function useRows(session: Session, view: View, address: string): Read {
  const [state, setState] = useState<Omit<Read, 'more'>>({
    ...{ rows: [], isMore: true, failure: undefined },
  });
  const source = useRef<AsyncGenerator<readonly Row[], void, void>>(undefined);
  const isReading = useRef(false);
  const begin = useRef(() => undefined as typeof source.current);
  begin.current = () =>
    pagesOf(clientOf(session), view.kind, spanOf(view, Math.round(venueNowMs())), view.filter);
  const more = useCallback(() => {
    const pages = source.current;
    if (pages === undefined || isReading.current) return;
    isReading.current = true;
    pages.next().then(
      ({ value, done }) => {
        if (pages !== source.current) return;
        isReading.current = false;
        setState(({ rows }) => ({
          rows: value === undefined ? rows : [...rows, ...value],
          isMore: done !== true,
          failure: undefined,
        }));
      },
      (failure: unknown) => {
        if (endedBy(failure) || pages !== source.current) return;
        isReading.current = false;
        // A generator that has thrown is finished: the data is read again from the beginning.
        source.current = begin.current();
        setState({ rows: [], isMore: true, failure });
      },
    );
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address says everything that is shown
  useEffect(() => {
    source.current = begin.current();
    isReading.current = false;
    setState({ rows: [], isMore: true, failure: undefined });
    more();
    return () => {
      source.current = undefined;
    };
  }, [address, session.accessKey, more]);
  return { ...state, more };
}

function Filters(props: {
  readonly view: View;
  readonly session: Session;
  readonly count: number;
  readonly onShow: (part: Partial<View>) => void;
}) {
  const { view, session, onShow } = props;
  const { kind, period, from, to, filter } = view;
  const change = (part: Filter): void => onShow({ filter: { ...filter, ...part } });
  return (
    <div className="pg-filters">
      <Choice
        label="Range"
        className="seg pg-seg"
        options={PERIODS}
        chosen={period}
        onChoose={(name) => onShow({ period: name })}
      />
      {period === 'days' ? (
        <span className="pg-days">
          <input
            type="date"
            aria-label="From, UTC"
            value={from}
            max={to}
            onChange={(event) => onShow({ from: event.target.value || from })}
          />
          <span className="t3">to</span>
          <input
            type="date"
            aria-label="To, UTC"
            value={to}
            min={from}
            onChange={(event) => onShow({ to: event.target.value || to })}
          />
        </span>
      ) : null}
      {kind.takes.map((name) => (
        <FilterSelect
          key={name}
          name={name}
          value={filter[name] ?? ''}
          onChoose={(value) => change({ [name]: value })}
        />
      ))}
      <span className="grow" />
      <SaveButton session={session} view={view} />
    </div>
  );
}

const FILTER_LABELS = {
  marketCode: 'All markets',
  asset: 'All assets',
  type: 'Everything',
} as const;

function FilterSelect(props: {
  readonly name: keyof Filter;
  readonly value: string;
  readonly onChoose: (value: string) => void;
}) {
  const { name, value, onChoose } = props;
  const list = useStore(markets, (all) => all);
  const assets = useQuery(name === 'asset' ? () => publicClient.assets() : undefined, 'assets');
  const options: readonly (readonly [string, string])[] = {
    marketCode: list.map((one) => [one.marketCode, one.name] as const),
    asset: (assets.data ?? []).map(({ asset }) => [asset, asset] as const),
    type: WALLET_TYPES.map((type) => [type, inWords(type)] as const),
  }[name];
  return (
    <label className="pg-mini">
      <span className="sr">{FILTER_LABELS[name]}</span>
      <select value={value} onChange={(event) => onChoose(event.target.value)}>
        <option value="">{FILTER_LABELS[name]}</option>
        {options.map(([code, label]) => (
          <option key={code} value={code}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The whole filtered range, however long, into a file. */
function SaveButton({ session, view }: { readonly session: Session; readonly view: View }) {
  const [count, setCount] = useState<number>();
  const save = async (): Promise<void> => {
    setCount(0);
    const asker = askerNow(session);
    try {
      const span = spanOf(view, Math.round(venueNowMs()));
      const { kind, filter } = view;
      const saved = await saveAll(clientOf(session), { kind, span, filter }, setCount);
      if (saved !== undefined) asker.notify('good', `${grouped(String(saved))} rows saved`);
    } catch (reason) {
      if (!endedBy(reason)) asker.notifyRefusal('Not saved whole', reason);
    }
    setCount(undefined);
  };
  return (
    <button
      type="button"
      className="btn"
      disabled={count !== undefined}
      onClick={() => void save()}
    >
      <Icon name="csv" />
      {count === undefined ? 'Save as CSV' : `${grouped(String(count))} rows…`}
    </button>
  );
}
