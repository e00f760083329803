import type { ReplyOf } from '../../src/client/index.ts';
import { getSolvency } from '../../src/wire/operator-reports.ts';
import { isNegative, isZero, NONE } from '../shared/number-text.ts';
import { type Column, List, Panel } from './panel.tsx';
import { useRead } from './reads.ts';
import { amountText, coveredText, sumText } from './text.ts';

type Row = ReplyOf<typeof getSolvency>[number];

/** Whether all liabilities are covered, asset by asset. */
const Covered = ({ row }: { readonly row: Row }) => {
  const { wallets, liabilities, suspense, surplus } = row;
  return (
    <span className={isNegative(surplus) ? 'bad' : ''}>
      {coveredText(wallets, sumText([liabilities, suspense]))}
      {isNegative(surplus) ? <span className="sr"> not covered</span> : null}
    </span>
  );
};

const short: readonly Column<Row>[] = [
  { name: 'Asset', show: ({ asset }) => <b>{asset}</b> },
  {
    name: 'Liabilities',
    isRight: true,
    from: 'm',
    show: ({ liabilities }) => amountText(liabilities),
  },
  { name: 'Wallets', isRight: true, show: ({ wallets }) => amountText(wallets) },
  { name: 'Covered', isRight: true, show: (row) => <Covered row={row} /> },
];

const figure = (name: string, of: (row: Row) => string | undefined): Column<Row> => ({
  name,
  isRight: true,
  from: 'l',
  show: (row) => {
    const text = of(row);
    if (text === undefined) return <span className="t3">{NONE}</span>;
    return isZero(text) ? <span className="t3">0</span> : amountText(text);
  },
});

const whole: readonly Column<Row>[] = [
  ...short.slice(0, 3),
  figure('On chain', ({ onChain }) => onChain),
  figure('Native debt', ({ nativeDebt }) => nativeDebt),
  figure('Clearing', ({ clearing }) => clearing),
  figure('Suspense', ({ suspense }) => suspense),
  figure('Deficit', ({ deficit }) => deficit),
  figure('Surplus', ({ surplus }) => surplus),
  ...short.slice(3),
];

export function SolvencyList({ isShort = false }: { readonly isShort?: boolean }) {
  const solvency = useRead(getSolvency, {});
  return (
    <Panel
      title="Solvency"
      className="at-solvency"
      note="wallets against liabilities"
      {...(isShort ? { to: ['/console/solvency', 'Open'] as const } : {})}
      reads={[solvency]}
    >
      <List
        label="Solvency by asset"
        columns={isShort ? short : whole}
        rows={solvency.data}
        keyOf={({ asset }) => asset}
        empty="The venue has no asset."
      />
    </Panel>
  );
}
