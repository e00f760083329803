import './account-health.css';
import { navigate } from '../shared/navigate.ts';
import { difference, fixed, NONE, nativeText } from '../shared/number-text.ts';
import type { Session } from '../shared/session.ts';
import { useStore } from '../shared/store.ts';
import { live } from './feed.ts';

const WARN_FROM = 40;
const BAD_FROM = 80;

const gradeOf = (ratio: number): string => {
  if (ratio >= BAD_FROM) return 'bad';
  return ratio >= WARN_FROM ? 'warn' : '';
};

/** How near liquidation is: 50 stops new risk, 100 is liquidation. */
export function AccountHealth({ session }: { readonly session: Session }) {
  const account = useStore(live, (state) => state.account);
  const ratio = Number(account?.marginRatio ?? 0);
  const free =
    account === undefined ? undefined : difference(account.collateral, account.portfolioVarMargin);
  return (
    <section className="purse panel" aria-label="Account">
      <div className="bar">
        <h2 className="ttl">
          Account <span className="t3">{session.name}</span>
        </h2>
        <span className="grow" />
        {account?.liquidating === true ? <span className="chip bad">Liquidating</span> : null}
      </div>
      <div className="inner">
        <div className="ratio">
          <span className="t2 grow">Margin ratio</span>
          <b className={`num ${gradeOf(ratio)}`}>
            {account === undefined ? NONE : fixed(account.marginRatio, 1)}
          </b>
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a meter cannot hold marks */}
        <div
          className={`health ${gradeOf(ratio)}`}
          role="meter"
          aria-label="Margin ratio"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={Math.min(100, Math.max(0, ratio))}
        >
          <i style={{ width: `${Math.min(100, Math.max(0, ratio))}%` }} />
          <b style={{ left: '50%' }} />
        </div>
        <div className="ticks" aria-hidden="true">
          <span>0</span>
          <span>50 no new risk</span>
          <span>100 liquidation</span>
        </div>
        <dl className="kv">
          <Figure name="Collateral" value={account?.collateral} />
          <Figure name="Initial margin" value={account?.portfolioVarMargin} />
          <Figure name="Free collateral" value={free} />
        </dl>
        <div className="acts">
          <button type="button" className="btn primary" onClick={() => navigate('/wallet#deposit')}>
            Deposit
          </button>
          <button type="button" className="btn" onClick={() => navigate('/wallet#transfer')}>
            Transfer
          </button>
          <button type="button" className="btn" onClick={() => navigate('/wallet#withdraw')}>
            Withdraw
          </button>
        </div>
      </div>
    </section>
  );
}

const Figure = ({ name, value }: { readonly name: string; readonly value: string | undefined }) => (
  <div>
    <dt>{name}</dt>
    <dd className="num" title={value}>
      {nativeText(value)} <span className="t3">OX</span>
    </dd>
  </div>
);
