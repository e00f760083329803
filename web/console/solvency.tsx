import type { ReplyOf } from '../../src/client/index.ts';
import { listFunds, listNetworks } from '../../src/wire/operator-wallet.ts';
import { isZero, plain } from '../shared/number-text.ts';
import { type Column, List, Panel } from './panel.tsx';
import { useRead } from './reads.ts';
import { SolvencyList } from './solvency-list.tsx';
import { amountText } from './text.ts';

/** Coverage of all liabilities, the venue's own purses, and the networks for deposits and withdrawals. */
export function Solvency() {
  const funds = useRead(listFunds, {}, 2_000);
  const networks = useRead(listNetworks, {}, 2_000);
  return (
    <>
      <SolvencyList />
      <div className="cols">
        <Panel title="The venue’s own" count={funds.data?.length} reads={[funds]} everyMs={2_000}>
          <List
            label="The venue’s own purses"
            columns={FUNDS}
            rows={funds.data}
            keyOf={({ asset }) => asset}
            empty="The venue has no asset."
          />
        </Panel>
        <Panel
          title="Networks and fees"
          count={networks.data?.length}
          reads={[networks]}
          everyMs={2_000}
        >
          <List
            label="Networks and fees"
            columns={WAYS}
            rows={networks.data}
            keyOf={({ network, asset }) => `${network} ${asset}`}
            empty="The venue has no network."
          />
        </Panel>
      </div>
    </>
  );
}

type Fund = ReplyOf<typeof listFunds>[number];
const purse = (name: string, of: (fund: Fund) => string, from?: 'm'): Column<Fund> => ({
  ...{ name, isRight: true },
  ...(from === undefined ? {} : { from }),
  show: (fund) => (isZero(of(fund)) ? <span className="t3">0</span> : amountText(of(fund))),
});

const FUNDS: readonly Column<Fund>[] = [
  { name: 'Asset', show: ({ asset }) => <b>{asset}</b> },
  purse('Fees', ({ fees }) => fees),
  purse('Insurance', ({ insurance }) => insurance),
  purse('Network costs', ({ networkCosts }) => networkCosts, 'm'),
  purse('Rounding', ({ rounding }) => rounding, 'm'),
  purse('Deficit', ({ deficit }) => deficit),
];

const Open = ({ isOpen }: { readonly isOpen: boolean }) =>
  isOpen ? <span className="good">Open</span> : <span className="warn">Closed</span>;

const WAYS: readonly Column<ReplyOf<typeof listNetworks>[number]>[] = [
  { name: 'Network', show: ({ network }) => <b>{network}</b> },
  { name: 'Asset', show: ({ asset }) => asset },
  { name: 'Deposits', from: 'm', show: ({ deposits }) => <Open isOpen={deposits} /> },
  { name: 'Withdrawals', show: ({ withdrawals }) => <Open isOpen={withdrawals} /> },
  { name: 'Fee', isRight: true, show: ({ fee }) => plain(fee) },
  { name: 'Block', isRight: true, from: 'm', show: ({ height }) => plain(height) },
];
