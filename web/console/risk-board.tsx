import type { ReplyOf } from '../../src/client/index.ts';
import { getRisk } from '../../src/wire/operator-reports.ts';
import { gradeOf } from '../shared/margin-grade.ts';
import { Ratio } from '../shared/margin-ratio.tsx';
import { linkTo } from '../shared/navigate.ts';
import { compare, grouped } from '../shared/number-text.ts';
import { type Column, List, Native, Panel } from './panel.tsx';
import { useRead } from './reads.ts';
import './risk.css';
import { logHeight } from './text.ts';

export type RiskAccount = ReplyOf<typeof getRisk>['top'][number];

export function RiskBoard() {
  const risk = useRead(getRisk, { limit: '20' });
  const total = (risk.data?.histogram ?? []).reduce(
    (sum, { accounts }) => sum + Number(accounts),
    0,
  );
  return (
    <Panel
      title="Risk board"
      className="at-risk"
      note={`${grouped(String(total))} ${total === 1 ? 'account' : 'accounts'} by margin ratio, log scale`}
      to={['/console/risk', 'Open']}
      reads={[risk]}
    >
      <Histogram rows={risk.data?.histogram ?? []} />
      <List
        label="Accounts by margin ratio"
        columns={BOARD_COLUMNS}
        rows={risk.data?.top}
        keyOf={({ accountId }) => accountId}
        empty="No account has a position, an order on margin or a debt."
      />
    </Panel>
  );
}

type Bin = ReplyOf<typeof getRisk>['histogram'][number];

/** From 50 on no new risk, from 100 on liquidation: hatched, then red, and explained by the text below. */
export function Histogram({ rows }: { readonly rows: readonly Bin[] }) {
  const most = Math.max(0, ...rows.map(({ accounts }) => Number(accounts)));
  const last = rows.at(-1)?.from;
  return (
    <ol className="hist" aria-label="Accounts by margin ratio">
      {rows.map(({ from, accounts }) => {
        const ratio = Number(from);
        const kind = ratio >= 100 ? 'bad' : ratio >= 50 ? 'warn' : '';
        const mark = ratio === 50 || ratio === 100 ? ' mark' : '';
        return (
          <li key={from} className={`${kind}${mark}`}>
            <span className="n num">
              {accounts === '0' ? '' : grouped(accounts)}
              <span className="sr"> accounts from ratio </span>
            </span>
            <i style={{ height: `${Math.round(logHeight(Number(accounts), most) * 56)}px` }} />
            <span className="x num">{from === last ? `≥${from}` : from}</span>
          </li>
        );
      })}
    </ol>
  );
}

/** With marks at 50 and 100, so that it is readable without colour. */
function RatioBar({ ratio }: { readonly ratio: string }) {
  const value = Math.max(0, Math.min(110, Number(ratio)));
  return (
    <span className={`health ${gradeOf(ratio)}`} aria-hidden="true">
      <i style={{ width: `${(value / 110) * 100}%` }} />
      <b style={{ left: `${(50 / 110) * 100}%` }} />
      <b style={{ left: `${(100 / 110) * 100}%` }} />
    </span>
  );
}

/** What an account with this ratio may still do. */
function RiskState({ account }: { readonly account: RiskAccount }) {
  if (account.liquidating) return <span className="chip bad">Liquidating</span>;
  if (compare(account.marginRatio, '100') >= 0) return <span className="chip bad">Due</span>;
  if (compare(account.marginRatio, '50') >= 0)
    return <span className="chip warn">No new risk</span>;
  return <span className="t3">Free</span>;
}

export const RISK_COLUMNS: readonly Column<RiskAccount>[] = [
  {
    name: 'Account',
    show: ({ accountId, family, name }) => (
      <a className="ref" title={`${family}, ${name}`} {...linkTo(`/console/accounts/${accountId}`)}>
        {accountId}
      </a>
    ),
  },
  {
    name: 'Margin ratio',
    isRight: true,
    show: ({ marginRatio }) => <Ratio of={marginRatio} />,
  },
  {
    name: 'Bar',
    isHeadHidden: true,
    from: 'm',
    show: ({ marginRatio }) => <RatioBar ratio={marginRatio} />,
  },
  {
    name: 'Collateral OX',
    isRight: true,
    from: 'm',
    show: ({ collateral }) => <Native text={collateral} />,
  },
  {
    name: 'Notional OX',
    isRight: true,
    from: 'm',
    show: ({ notional }) => <Native text={notional} />,
  },
  {
    name: 'State',
    isRight: true,
    show: (account) => <RiskState account={account} />,
  },
];

/** Beside the withdrawals there is less room. */
const BOARD_COLUMNS = RISK_COLUMNS.map((column) =>
  column.name === 'Notional OX' ? { ...column, from: 'xl' as const } : column,
);
