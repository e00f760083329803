import { useState } from 'react';
import { listWithdrawals } from '../../src/wire/operator-wallet.ts';
import { AuditFeed } from './audit-feed.tsx';
import { Figures } from './figures.tsx';
import { MarketList } from './market-list.tsx';
import './overview.css';
import { Panel } from './panel.tsx';
import { useRead } from './reads.ts';
import { RiskBoard } from './risk-board.tsx';
import type { Place } from './routes.ts';
import { SolvencyList } from './solvency-list.tsx';
import { type Chosen, WithdrawalAct } from './withdrawal-act.tsx';
import { Case } from './withdrawal-case.tsx';
import { WithdrawalList } from './withdrawal-list.tsx';

/** The whole venue on one screen; each panel leads to its own page. */
export function Overview({ operator }: Place) {
  const held = useRead(listWithdrawals, { held: 'true', limit: '200' });
  const [selected, setSelected] = useState<string>();
  const [acting, setActing] = useState<Chosen>();
  const chosen = held.data?.find(({ id }) => id === selected) ?? held.data?.[0];
  return (
    <div className="overview">
      <Figures />
      <Panel
        title="Withdrawals on hold"
        className="at-held"
        count={held.data?.length}
        note="A release above the limit needs two operators"
        to={['/console/withdrawals', 'All withdrawals']}
        reads={[held]}
      >
        <WithdrawalList
          label="Withdrawals on hold"
          rows={held.data?.slice(0, 50)}
          operator={operator}
          chosen={chosen?.id}
          onChoose={setSelected}
          empty="No withdrawal waits for an operator."
          isShort
        />
        {chosen === undefined ? null : (
          <Case withdrawal={chosen} operator={operator} onAct={setActing} />
        )}
        {acting === undefined ? null : (
          <WithdrawalAct chosen={acting} operator={operator} onClose={() => setActing(undefined)} />
        )}
      </Panel>
      <RiskBoard />
      <MarketList operator={operator} isShort />
      <SolvencyList isShort />
      <AuditFeed />
    </div>
  );
}
