import { useState } from 'react';
import type { ReplyOf } from '../../src/client/index.ts';
import { getLiquidationsOf } from '../../src/wire/operator-cases.ts';
import { listBackstops } from '../../src/wire/operator-markets.ts';
import { getOverview, getRisk } from '../../src/wire/operator-reports.ts';
import { linkTo } from '../shared/navigate.ts';
import { grouped, NONE, nativeText, plain, timeText } from '../shared/number-text.ts';
import { AdlRanking } from './adl-ranking.tsx';
import { type Column, Facts, List, Panel } from './panel.tsx';
import { useRead } from './reads.ts';
import { Histogram, RISK_COLUMNS, type RiskAccount } from './risk-board.tsx';
import { statusText } from './text.ts';

/** Accounts near liquidation, liquidations in progress, and the funds behind them. */
export function Risk() {
  const risk = useRead(getRisk, { limit: '200' });
  const overview = useRead(getOverview, {});
  const backstops = useRead(listBackstops, {}, 5_000);
  const [selected, setSelected] = useState<string>();
  const top = risk.data?.top;
  const chosen = selected ?? (top?.find(({ liquidating }) => liquidating) ?? top?.[0])?.accountId;
  const total = (risk.data?.histogram ?? []).reduce((sum, one) => sum + Number(one.accounts), 0);
  const columns: readonly Column<RiskAccount>[] = [
    ...RISK_COLUMNS,
    {
      name: 'Steps',
      isHeadHidden: true,
      isRight: true,
      show: ({ accountId }) => (
        <button
          type="button"
          className="btn s ghost"
          aria-pressed={accountId === chosen}
          onClick={() => setSelected(accountId)}
        >
          Steps<span className="sr"> of account {accountId}</span>
        </button>
      ),
    },
  ];
  return (
    <>
      <Panel
        title="Accounts by margin ratio"
        note={`${grouped(String(total))} with margin, log scale; from 50 no new risk, from 100 liquidation`}
        reads={[risk]}
      >
        <Histogram rows={risk.data?.histogram ?? []} />
        <Facts
          facts={[
            ['At 50 and above', overview.data?.accountsAtRisk ?? NONE],
            ['Liquidating', overview.data?.liquidating ?? NONE],
            ['Insurance', `${nativeText(overview.data?.insurance)} OX`],
            ['Deficit', `${nativeText(overview.data?.deficit)} OX`],
          ]}
        />
      </Panel>
      <div className="cols ratios-left">
        <Panel title="Highest ratios" count={top?.length} reads={[risk]}>
          <List
            label="Highest margin ratios"
            columns={columns}
            rows={top}
            keyOf={({ accountId }) => accountId}
            chosen={chosen}
            empty="No account has a position, an order on margin or a debt."
          />
        </Panel>
        <div className="stack">
          <Steps accountId={chosen} />
          <OfVenue onChoose={setSelected} />
          <AdlRanking risk={risk} />
          <Panel
            title="Backstops"
            count={backstops.data?.length}
            reads={[backstops]}
            everyMs={5_000}
          >
            <List
              label="Backstops"
              columns={BACKSTOPS}
              rows={backstops.data}
              keyOf={({ family, name, marketCode }) => `${family}/${name} ${marketCode}`}
              empty="Nobody has agreed to take over positions of failing accounts."
            />
          </Panel>
        </div>
      </div>
    </>
  );
}

const BACKSTOPS: readonly Column<ReplyOf<typeof listBackstops>[number]>[] = [
  { name: 'Account', show: ({ family, name }) => `${family}, ${name}` },
  { name: 'Market', show: ({ marketCode }) => <b>{marketCode}</b> },
  { name: 'Up to', isRight: true, show: ({ quantity }) => plain(quantity) },
];

type Step = ReplyOf<typeof getLiquidationsOf>[number];

const figure = (text: string | undefined) =>
  text === undefined ? <span className="t3">{NONE}</span> : plain(text, 4);

const STEPS: readonly Column<Step>[] = [
  {
    name: 'Time',
    show: ({ createdAt }) => <span className="t2">{timeText(Number(createdAt))}</span>,
  },
  {
    name: 'Step',
    show: ({ event, phase }) => (
      <b>
        {statusText(event)}
        {phase === undefined ? '' : `, ${statusText(phase).toLowerCase()}`}
      </b>
    ),
  },
  { name: 'Market', from: 'm', show: ({ marketCode, asset }) => marketCode ?? asset ?? NONE },
  { name: 'Slice', isRight: true, from: 'm', show: ({ sliceQuantity }) => figure(sliceQuantity) },
  { name: 'Closed', isRight: true, show: ({ filledQuantity }) => figure(filledQuantity) },
  { name: 'Fund paid', isRight: true, from: 'l', show: ({ help }) => figure(help) },
];

function Steps({ accountId }: { readonly accountId: string | undefined }) {
  const steps = useRead(
    getLiquidationsOf,
    accountId === undefined ? undefined : { accountId, limit: '100' },
    2_000,
  );
  return (
    <Panel
      title={accountId === undefined ? 'Liquidation' : `Liquidations of ${accountId}`}
      reads={[steps]}
      everyMs={2_000}
    >
      <List
        label="Liquidation, step by step"
        columns={STEPS}
        rows={accountId === undefined ? [] : steps.data}
        keyOf={({ id }) => id}
        empty="This account has never been liquidated."
      />
    </Panel>
  );
}

const PAGE = 50;

/** Of all accounts, newest first: who was liquidated, and what was paid. */
function OfVenue({ onChoose }: { readonly onChoose: (accountId: string) => void }) {
  const [before, setBefore] = useState<string>();
  const page = { limit: String(PAGE), ...(before === undefined ? {} : { beforeId: before }) };
  const steps = useRead(getLiquidationsOf, page, 2_000);
  const last = steps.data?.at(-1)?.id;
  const columns: readonly Column<Step>[] = [
    {
      name: 'Account',
      show: ({ accountId, family, name }) => (
        <a
          className="ref"
          title={`${family}, ${name}`}
          {...linkTo(`/console/accounts/${accountId}`)}
        >
          {accountId}
        </a>
      ),
    },
    ...STEPS.filter(({ name }) => name !== 'Slice'),
    {
      name: 'Steps',
      isHeadHidden: true,
      isRight: true,
      from: 'm',
      show: ({ accountId }) => (
        <button type="button" className="btn s ghost" onClick={() => onChoose(accountId)}>
          Steps<span className="sr"> of account {accountId}</span>
        </button>
      ),
    },
  ];
  return (
    <Panel title="Liquidations of the venue" reads={[steps]} everyMs={2_000}>
      <List
        label="Liquidations of the venue"
        columns={columns}
        rows={steps.data}
        keyOf={({ id }) => id}
        empty={
          before === undefined ? 'No account has ever been liquidated.' : 'Nothing before that.'
        }
      />
      <div className="pages">
        {before === undefined ? null : (
          <button type="button" className="btn s" onClick={() => setBefore(undefined)}>
            Newest
          </button>
        )}
        {steps.data?.length === PAGE && last !== undefined ? (
          <button type="button" className="btn s" onClick={() => setBefore(last)}>
            Earlier {PAGE}
          </button>
        ) : null}
      </div>
    </Panel>
  );
}
