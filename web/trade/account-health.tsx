import './account-health.css';
import { Icon } from '../shared/icons.tsx';
import { gradeOf, ratioText } from '../shared/margin-grade.ts';
import { Ratio } from '../shared/margin-ratio.tsx';
import { navigate } from '../shared/navigate.ts';
import { difference, nativeText, plain } from '../shared/number-text.ts';
import { useQuery } from '../shared/query.ts';
import { clientOf, type Session } from '../shared/session.ts';
import { type Settings, settings } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import { live } from './feed.ts';
import { ratioAfter } from './ticket/ticket-state.ts';
import { useValue } from './value.tsx';

/** How near liquidation is: 50 stops new risk, 100 is liquidation. */
export function AccountHealth({ session }: { readonly session: Session }) {
  const account = useStore(live, (state) => state.account);
  const ratio = Number(account?.marginRatio ?? 0);
  const grade = gradeOf(account?.marginRatio ?? '0');
  const free =
    account === undefined ? undefined : difference(account.collateral, account.portfolioVarMargin);
  const after = useStore(ratioAfter, (text) => text);
  const balances = useStore(live, (state) => state.balances);
  const unit = useStore(settings, (all) => all.unit);
  const reach = (of: number): number => Math.min(100, Math.max(0, of));
  const afterRatio = after === undefined ? ratio : Number(after);
  const hasAfter = after !== undefined && ratioText(after) !== ratioText(account?.marginRatio);
  return (
    <section className="purse panel" aria-label="Account">
      <Alarm session={session} ratio={ratio} isLiquidating={account?.liquidating === true} />
      <div className="bar">
        <h2 className="ttl" title={session.name}>
          Account <span className="t3">{session.name}</span>
        </h2>
        <span className="grow" />
        {account?.liquidating === true ? <span className="chip bad">Liquidating</span> : null}
        <label className="mini">
          <span className="sr">Values in</span>
          <select
            value={unit}
            onChange={({ target }) =>
              settings.update((all) => ({ ...all, unit: target.value as Settings['unit'] }))
            }
          >
            <option>OX</option>
            <option>USD</option>
          </select>
          <Icon name="down" />
        </label>
      </div>
      <div className="inner">
        <div className="ratio">
          <span className="t2 grow">Margin ratio</span>
          <b className="num">
            <Ratio of={account?.marginRatio} />
          </b>
          {hasAfter ? (
            <span className="t3 num">
              after order <Ratio of={after} />
            </span>
          ) : null}
        </div>
        {/* biome-ignore lint/a11y/useSemanticElements: a meter cannot hold marks */}
        <div
          className={`health ${grade}`}
          role="meter"
          aria-label="Margin ratio"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={reach(ratio)}
        >
          <i style={{ width: `${reach(ratio)}%` }} />
          {hasAfter ? (
            <i
              className="after"
              style={{
                left: `${reach(Math.min(ratio, afterRatio))}%`,
                width: `${Math.abs(reach(afterRatio) - reach(ratio))}%`,
              }}
            />
          ) : null}
          <b style={{ left: '50%' }} />
          <b style={{ left: '100%' }} />
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
        <dl className="kv coins">
          {Object.values(balances).map(({ asset, total }) => (
            <div key={asset}>
              <dt>{asset}</dt>
              <dd className="num" title={total}>
                {plain(total, 4)}
              </dd>
            </div>
          ))}
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

const NO_NEW_RISK_FROM = 50;
const STEPS_SHOWN = 4;

/** What may still be done, and what the venue does meanwhile. */
function Alarm(props: {
  readonly session: Session;
  readonly ratio: number;
  readonly isLiquidating: boolean;
}) {
  const { session, ratio, isLiquidating } = props;
  const steps = useQuery(
    isLiquidating
      ? () => clientOf(session).liquidations({ limit: String(STEPS_SHOWN) })
      : undefined,
    session.accessKey,
    2_000,
  );
  if (!isLiquidating && ratio < NO_NEW_RISK_FROM) return null;
  return (
    <div className="alarm" role="alert">
      {isLiquidating
        ? 'The venue is closing positions of this account.'
        : 'Margin ratio of 50 or more: no new risk. Reduce positions or deposit.'}
      {(steps.data ?? []).map((step) => (
        <p key={step.id} className="num">
          {stepText(step)}
        </p>
      ))}
    </div>
  );
}

type Step = {
  readonly event: string;
  readonly phase?: string | undefined;
  readonly marketCode?: string | undefined;
  readonly filledQuantity?: string | undefined;
  readonly markPrice?: string | undefined;
  readonly fee?: string | undefined;
};

/** One step with its arithmetic: what was closed, at which mark, for which fee. */
const stepText = ({ event, phase, marketCode, filledQuantity, markPrice, fee }: Step): string =>
  [
    phase === undefined ? event.toLowerCase() : `${event.toLowerCase()}, ${phase.toLowerCase()}`,
    filledQuantity === undefined ? '' : `${plain(filledQuantity)} ${marketCode ?? ''}`,
    markPrice === undefined ? '' : `at mark ${plain(markPrice)}`,
    fee === undefined ? '' : `fee ${nativeText(fee)} OX`,
  ]
    .filter((part) => part !== '')
    .join(', ');

function Figure({ name, value }: { readonly name: string; readonly value: string | undefined }) {
  const { text, unit } = useValue()(value);
  return (
    <div>
      <dt>{name}</dt>
      <dd className="num" title={value === undefined ? undefined : `${value} OX`}>
        {text} <span className="t3">{unit}</span>
      </dd>
    </div>
  );
}
