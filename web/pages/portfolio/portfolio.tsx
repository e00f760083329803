import './portfolio.css';
import { useState } from 'react';
import { gradeOf } from '../../shared/margin-grade.ts';
import { Ratio } from '../../shared/margin-ratio.tsx';
import { linkTo } from '../../shared/navigate.ts';
import { isNegative, signed } from '../../shared/number-text.ts';
import { useQuery } from '../../shared/query.ts';
import { clientOf, type Session } from '../../shared/session.ts';
import { Choice } from '../../shared/tabs.tsx';
import { venueNowMs } from '../../shared/venue-clock.ts';
import { plainText, usePrices, useValue } from '../../trade/value.tsx';
import { type Account, isMain, useFamily } from '../parts/family.ts';
import { DataTable, Figure, Panel, type WideColumn } from '../parts/panel.tsx';
import { readHours } from './hours.ts';
import { PnlChart, VIEWS, type View } from './pnl-chart.tsx';
import { FamilyPositions } from './positions.tsx';
import { type Bucket, bucketsOf, RANGES, type Range } from './series.ts';

const ALL = 'all';

export function PortfolioPage({ session }: { readonly session: Session }) {
  const family = useFamily(session);
  const accounts = family.data ?? [];
  const [chosen, setChosen] = useState<string>(ALL);
  const [rangeName, setRange] = useState<Range['name']>('7d');
  const range = RANGES.find(({ name }) => name === rangeName) ?? RANGES[1];
  const meant = accounts.filter(({ accountId }) => chosen === ALL || accountId === chosen);
  const buckets = useBuckets(session, meant, range);
  return (
    <>
      <Totals accounts={meant} buckets={buckets} range={range} />
      <Panel
        title="Over time"
        beside={
          <>
            {accounts.length > 1 ? (
              <label className="pg-mini">
                <span className="sr">Account</span>
                <select value={chosen} onChange={(event) => setChosen(event.target.value)}>
                  <option value={ALL}>All accounts</option>
                  {accounts.map(({ accountId, name }) => (
                    <option key={accountId} value={accountId}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
            ) : null}
            <Choice
              label="Range"
              className="seg pg-seg"
              options={RANGES}
              chosen={rangeName}
              onChoose={setRange}
            />
          </>
        }
      >
        <OverTime buckets={buckets} range={range} />
      </Panel>
      <Panel title="Equity by account">
        <AccountEquity query={family} />
      </Panel>
      <Panel title="Positions">
        <FamilyPositions query={family} />
      </Panel>
    </>
  );
}

function spanOf({ days }: Range): { readonly fromMs: number; readonly toMs: number } {
  const toMs = Math.round(venueNowMs());
  return { fromMs: toMs - days * 86_400_000, toMs };
}

function useBuckets(
  session: Session,
  accounts: readonly Account[],
  range: Range,
): readonly Bucket[] | undefined {
  const names = isMain(session)
    ? accounts.map(({ name }) => name).filter((name) => name !== session.name)
    : [];
  const { current: data } = useQuery(
    accounts.length === 0 ? undefined : () => readHours(clientOf(session), names, spanOf(range)),
    `${session.accessKey} hours ${names.join()} ${range.name}`,
    60_000,
  );
  if (data === undefined) return undefined;
  const hours = accounts.map(({ accountId, collateral }) => ({
    hours: data.get(accountId) ?? [],
    collateralNow: Number(collateral),
  }));
  return bucketsOf(hours, range, venueNowMs());
}

const sumOf = (buckets: readonly Bucket[] | undefined, name: 'realized' | 'funding'): number =>
  (buckets ?? []).reduce((sum, bucket) => sum + bucket[name], 0);

function Totals(props: {
  readonly accounts: readonly Account[];
  readonly buckets: readonly Bucket[] | undefined;
  readonly range: Range;
}) {
  const { accounts, buckets, range } = props;
  const value = useValue();
  const isKnown = accounts.length > 0;
  const sum = (of: (account: Account) => number): string | undefined =>
    isKnown ? plainText(accounts.reduce((total, one) => total + of(one), 0)) : undefined;
  const equity = sum(({ collateral }) => Number(collateral));
  const open = sum(({ positions = [] }) =>
    positions.reduce((total, { positionPnl }) => total + Number(positionPnl), 0),
  );
  const worst = accounts.reduce((most, { marginRatio }) => Math.max(most, Number(marginRatio)), 0);
  const change = (native: string | undefined): React.ReactNode => {
    const { text } = value(native);
    if (native === undefined) return text;
    if (Number(native) === 0) return text;
    return (
      <span className={isNegative(native) ? 'sell' : 'buy'}>{signed(native, () => text)}</span>
    );
  };
  const gained = buckets === undefined ? undefined : plainText(sumOf(buckets, 'realized'));
  const paid = buckets === undefined ? undefined : plainText(sumOf(buckets, 'funding'));
  const { unit } = value('0');
  return (
    <dl className="pg-figures">
      <Figure name="Equity" unit={unit} className="pg-first" {...titled(equity)}>
        {value(equity).text}
      </Figure>
      <Figure name="Open PnL" unit={unit} {...titled(open)}>
        {change(open)}
      </Figure>
      <Figure name={`Realised, ${range.label}`} unit={unit} {...titled(gained)}>
        {change(gained)}
      </Figure>
      <Figure name={`Funding, ${range.label}`} unit={unit} {...titled(paid)}>
        {change(paid)}
      </Figure>
      <Figure name={accounts.length > 1 ? 'Highest margin ratio' : 'Margin ratio'}>
        <Ratio of={isKnown ? plainText(worst) : undefined} />
      </Figure>
    </dl>
  );
}

const titled = (text: string | undefined): { readonly title?: string } =>
  text === undefined ? {} : { title: text };

function OverTime(props: {
  readonly buckets: readonly Bucket[] | undefined;
  readonly range: Range;
}) {
  const { buckets, range } = props;
  const [view, setView] = useState<View>('equity');
  const value = useValue();
  const price = usePrices()['OX'];
  const { unit } = value('0');
  const factor = unit === 'USD' ? (price ?? 1) : 1;
  const scaled = (buckets ?? []).map((bucket) => ({
    ...bucket,
    realized: bucket.realized * factor,
    funding: bucket.funding * factor,
    equity: bucket.equity * factor,
  }));
  const isQuiet = buckets?.every(({ realized, funding }) => realized === 0 && funding === 0);
  const name = VIEWS.find((one) => one.name === view)?.label ?? '';
  return (
    <div className="pg-over-time">
      <Choice
        label="What is drawn"
        className="seg pg-seg"
        options={VIEWS}
        chosen={view}
        onChoose={setView}
      />
      {buckets === undefined ? (
        <div className="pg-chart" aria-busy={true} />
      ) : (
        <PnlChart buckets={scaled} view={view} unit={unit} label={`${name}, ${range.label}`} />
      )}
      <p className="pg-hint">
        {isQuiet === true ? (
          <>
            Nothing was realised and no funding was due in this time. The dashes show what the
            accounts are worth now; <a {...linkTo('/')}>trading</a> makes it move.
          </>
        ) : (
          'Noted by the venue in each hour with a realised gain or funding; between them the last one stands, before the first it is dashed.'
        )}
      </p>
    </div>
  );
}

function AccountEquity(props: {
  readonly query: { readonly data: readonly Account[] | undefined; readonly failure: unknown };
}) {
  const value = useValue();
  const { unit } = value('0');
  const columns: readonly WideColumn<Account>[] = [
    { name: 'Account', show: ({ name }) => <b>{name}</b> },
    {
      ...{ name: `Equity ${unit}`, isRight: true },
      show: ({ collateral }) => <span title={collateral}>{value(collateral).text}</span>,
    },
    {
      ...{ name: `Positions ${unit}`, isRight: true, isWide: true },
      show: ({ notionalPositionSize: size }) => <span title={size}>{value(size).text}</span>,
    },
    {
      ...{ name: `Initial margin ${unit}`, isRight: true, isWide: true },
      show: ({ portfolioVarMargin: margin }) => <span title={margin}>{value(margin).text}</span>,
    },
    {
      ...{ name: 'Margin ratio', isRight: true },
      show: ({ marginRatio }) => <Ratio of={marginRatio} />,
    },
    {
      ...{ name: 'Health', isHeadHidden: true, isWide: true },
      show: ({ marginRatio, liquidating }) => (
        <Health ratio={marginRatio} isLiquidating={liquidating} />
      ),
    },
  ];
  return (
    <DataTable
      label="Equity by account"
      columns={columns}
      query={props.query}
      keyOf={({ accountId }) => accountId}
      empty={<b>No account</b>}
    />
  );
}

/** 50 stops new risk, 100 is liquidation. */
const Health = (props: { readonly ratio: string; readonly isLiquidating: boolean }) => {
  const { ratio, isLiquidating } = props;
  return (
    <span className="pg-health">
      <span className={`health ${gradeOf(ratio)}`}>
        <i style={{ width: `${Math.min(100, Math.max(0, Number(ratio)))}%` }} />
        <b style={{ left: '50%' }} />
      </span>
      {isLiquidating ? <span className="chip bad">Liquidating</span> : null}
    </span>
  );
};
