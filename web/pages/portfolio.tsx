import { useAsk } from '../shared/ask.ts';
import { fixed, nativeText, plain, signed, timeText } from '../shared/number-text.ts';
import { clientOf, type Session } from '../shared/session.ts';
import { settings } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import { type Column, Table } from '../shared/table.tsx';
import { Balances } from '../trade/balances.tsx';
import { live } from '../trade/feed.ts';
import { Positions } from '../trade/positions.tsx';
import { Panel, Scroll } from './panel.tsx';

export function PortfolioPage({ session }: { readonly session: Session }) {
  const account = useStore(live, (state) => state.account);
  const positions = useStore(live, (state) => state.positions);
  return (
    <>
      <Panel title={`Account ${session.name}`}>
        <div className="in2">
          <dl className="figures">
            <Figure name="Collateral" value={nativeText(account?.collateral)} unit="OX" />
            <Figure name="Positions" value={nativeText(account?.notionalPositionSize)} unit="OX" />
            <Figure
              name="Initial margin"
              value={nativeText(account?.portfolioVarMargin)}
              unit="OX"
            />
            <Figure
              name="Margin ratio"
              value={account === undefined ? '—' : fixed(account.marginRatio, 1)}
            />
          </dl>
        </div>
      </Panel>
      <Panel title="Positions">
        <Positions positions={Object.values(positions)} />
      </Panel>
      <div className="cols2">
        <Panel title="Balances">
          <Balances />
        </Panel>
        <Hours session={session} />
      </div>
    </>
  );
}

const Figure = (props: {
  readonly name: string;
  readonly value: string;
  readonly unit?: string;
}) => (
  <div>
    <dt>{props.name}</dt>
    <dd className="num">
      {props.value} <span className="unit-s">{props.unit}</span>
    </dd>
  </div>
);

/** Realised PnL and funding, hour by hour. */
function Hours({ session }: { readonly session: Session }) {
  const zone = useStore(settings, (all) => all.zone);
  const { data, failure } = useAsk(
    () => clientOf(session).accountHistory({ limit: '48' }),
    session.accessKey,
    60_000,
  );
  const rows = data?.[0]?.history ?? [];
  type Row = (typeof rows)[number];
  const columns: readonly Column<Row>[] = [
    {
      name: 'Hour',
      show: ({ hourAt }) => (
        <span className="t2">{timeText(Number(hourAt), zone).slice(0, 16)}</span>
      ),
    },
    {
      name: 'Realised PnL OX',
      isRight: true,
      show: ({ realizedPnl }) => signed(realizedPnl, (text) => plain(text, 2)),
    },
    {
      name: 'Funding OX',
      isRight: true,
      show: ({ funding }) => signed(funding, (text) => plain(text, 2)),
    },
  ];
  return (
    <Panel title="PnL and funding">
      <Scroll label="Hours">
        <Table
          label="PnL and funding"
          {...{ columns, rows, failure }}
          keyOf={({ hourAt }) => hourAt}
          empty={<b>No hour had any yet</b>}
        />
      </Scroll>
    </Panel>
  );
}
