import type { ReactNode } from 'react';
import type { ReplyOf } from '../../src/client/index.ts';
import { getWithdrawalCase } from '../../src/wire/operator-cases.ts';
import { releaseWithdrawal } from '../../src/wire/operator-wallet.ts';
import { Icon, type IconName } from '../shared/icons.tsx';
import { clockText, compare, isZero, NONE, plain, timeText } from '../shared/number-text.ts';
import { ActButton } from './act-button.tsx';
import './case.css';
import { type Read, useRead } from './reads.ts';
import { type Operator, rolesFor } from './session.ts';
import { ageText, coveredText, factorText, initialOf, nameOf, sumText } from './text.ts';
import { ACTS, type Act, type Chosen, verbOf } from './withdrawal-act.tsx';
import { type Next, nextOf, type Withdrawal } from './withdrawal-list.tsx';

type Details = ReplyOf<typeof getWithdrawalCase>;

/** The checks, the destination, the releases, and buttons for the three acts. */
export function Case(props: {
  readonly withdrawal: Withdrawal;
  readonly operator: Operator;
  readonly onAct: (chosen: Chosen) => void;
}) {
  const { withdrawal, operator, onAct } = props;
  const { id, accountId } = withdrawal;
  const details = useRead(getWithdrawalCase, { id, accountId }, 2_000);
  return (
    <div className="case">
      <Checks withdrawal={withdrawal} />
      <Destination withdrawal={withdrawal} details={details} />
      <Decision {...{ withdrawal, operator, onAct }} acts={details.data?.acts ?? []} />
    </div>
  );
}

const Line = (props: {
  readonly icon: IconName;
  readonly kind?: 'good' | 'warn' | 'bad';
  readonly name: string;
  readonly children: ReactNode;
}) => (
  <li>
    <span className={props.kind ?? 't3'}>
      <Icon name={props.icon} />
    </span>
    <span>
      <b>{props.name}</b> <span className="t2">{props.children}</span>
    </span>
  </li>
);

/** As they were when it was requested; the venue would have refused it otherwise. */
function Checks({ withdrawal }: { readonly withdrawal: Withdrawal }) {
  const { checks, requestedAt } = withdrawal;
  const { secondFactor, whitelisted, addressSince, spent, value, dailyLimit } = checks;
  const after = sumText([spent, value]);
  const knownMs = Number(requestedAt) - Number(addressSince);
  const isTight = compare(sumText([after, after]), dailyLimit) > 0;
  const isAbove = compare(value, checks.automaticLimit) > 0;
  return (
    <section aria-label="Checks the venue made">
      <h3>Checks the venue made</h3>
      <ul className="lines">
        {secondFactor === undefined ? (
          <Line icon="warn" kind="warn" name="Second factor">
            none set
          </Line>
        ) : (
          <Line icon="ok" kind="good" name="Second factor">
            {factorText(secondFactor)}, {clockText(Number(requestedAt))}
          </Line>
        )}
        <Line
          icon={whitelisted || knownMs > 86_400_000 ? 'ok' : 'warn'}
          kind={whitelisted || knownMs > 86_400_000 ? 'good' : 'warn'}
          name="Address"
        >
          {knownMs < 1_000 ? 'never used before' : `known for ${ageText(knownMs)}`}
          {whitelisted ? ', whitelisted' : ''}
        </Line>
        <Line icon="ok" kind="good" name="Margin after">
          {coveredText(checks.initialMargin, checks.collateral)} used
        </Line>
        <Line icon={isTight ? 'warn' : 'ok'} kind={isTight ? 'warn' : 'good'} name="24 h limit">
          {coveredText(after, dailyLimit)} after this
        </Line>
        <Line icon={isAbove ? 'warn' : 'ok'} kind={isAbove ? 'warn' : 'good'} name="At once">
          {coveredText(value, checks.automaticLimit)} of the limit
        </Line>
      </ul>
    </section>
  );
}

function Destination(props: { readonly withdrawal: Withdrawal; readonly details: Read<Details> }) {
  const { withdrawal, details } = props;
  const { asset, network, address, memo, fee, requestedAt, txId } = withdrawal;
  const { data } = details;
  const flow = data?.flows.find((one) => one.asset === asset);
  const others = (data?.flows.length ?? 0) - (flow === undefined ? 0 : 1);
  const isShort = data?.onChain !== undefined && compare(data.onChain, withdrawal.quantity) < 0;
  return (
    <section aria-label="Where it goes">
      <h3>Where it goes</h3>
      <ul className="lines">
        <Line icon="link" name={network}>
          <code>{address}</code>
          {memo === undefined ? null : (
            <>
              {' '}
              memo <code>{memo}</code>
            </>
          )}
        </Line>
        <Line
          icon={isShort ? 'warn' : 'wallet'}
          {...(isShort ? { kind: 'warn' } : {})}
          name="Hot wallet"
        >
          {data?.onChain === undefined ? NONE : `${plain(data.onChain)} ${asset}`}
          {isShort ? ', too little: it would wait for a sweep' : ''}
        </Line>
        <Line icon="inn" name="In, 30 days">
          {flow === undefined ? '0' : plain(flow.in)} {asset}
          {others > 0 ? `, and ${others} more ${others === 1 ? 'asset' : 'assets'}` : ''}
        </Line>
        <Line icon="out" name="Out, 30 days">
          {flow === undefined ? '0' : plain(flow.out)} {asset}
          {data?.flowsCut === true ? ', at least' : ', with this'}
        </Line>
        <Line icon="clock" name="Requested">
          {timeText(Number(requestedAt))}
          {isZero(fee) ? '' : `, fee ${plain(fee)} ${asset}`}
        </Line>
        {txId === undefined ? null : (
          <Line icon="swap" name="Transaction">
            <code>{txId}</code>
          </Line>
        )}
      </ul>
    </section>
  );
}

/**
 * The first operator sees a waiting state and no button; above the limit a second, different one is needed.
 */
function Decision(props: {
  readonly withdrawal: Withdrawal;
  readonly operator: Operator;
  readonly acts: Details['acts'];
  readonly onAct: (chosen: Chosen) => void;
}) {
  const { withdrawal, operator, acts, onAct } = props;
  const { holds, releasedBy, status } = withdrawal;
  const next = nextOf(withdrawal, operator);
  const needsTwo = holds.includes('above-limit');
  const choose = (act: Act) => (): void => onAct({ act, withdrawal });
  const canStop = status === 'ON HOLD' || status === 'PENDING' || status === 'IN SWEEPING';
  return (
    <section className="decide" aria-label="Decision">
      <Signatures needsTwo={needsTwo} releasedBy={releasedBy} acts={acts} operator={operator} />
      {next === 'yours' ? (
        <button type="button" className="btn primary tall" onClick={choose('release')}>
          {verbOf('release', withdrawal)}…
        </button>
      ) : (
        <p className="wait" role="status">
          {WAITING[next]}
        </p>
      )}
      {canStop ? (
        <>
          <ActButton
            {...{ operator, endpoint: ACTS.hold.endpoint, className: 'btn tall' }}
            onClick={choose('hold')}
          >
            {verbOf('hold', withdrawal)}…
          </ActButton>
          <ActButton
            {...{ operator, endpoint: ACTS.cancel.endpoint, className: 'btn tall ghost bad' }}
            onClick={choose('cancel')}
          >
            {verbOf('cancel', withdrawal)}…
          </ActButton>
        </>
      ) : null}
    </section>
  );
}

const WAITING: Readonly<Record<Exclude<Next, 'yours'>, string>> = {
  another: 'You have released it. Waiting for a second, different operator.',
  role: `Releasing it takes ${rolesFor(releaseWithdrawal)}.`,
  time: 'No operator can end this hold: it ends by itself, or with the restriction.',
  moving: 'Nothing holds it: it is on its way.',
};
function Signatures(props: {
  readonly needsTwo: boolean;
  readonly releasedBy: readonly string[];
  readonly acts: Details['acts'];
  readonly operator: Operator;
}) {
  const { needsTwo, releasedBy, acts, operator } = props;
  const count = Math.max(needsTwo ? 2 : 1, releasedBy.length);
  const timeOf = (actor: string): string => {
    const found = acts.findLast((one) => one.actor === actor && one.act.endsWith('release'));
    return found === undefined ? '' : clockText(Number(found.time)).slice(0, 5);
  };
  return (
    <ol className="signatures" aria-label="Releases">
      {Array.from({ length: count }, (_, at) => {
        const by = releasedBy[at];
        const key = `${at} ${by ?? ''}`;
        return by === undefined ? (
          <li key={key}>
            <span className="circle" aria-hidden="true">
              {at + 1}
            </span>
            <span className="t3">{at === 0 ? 'first' : 'another'}</span>
          </li>
        ) : (
          <li key={key}>
            <span className="circle done" aria-hidden="true">
              {initialOf(by)}
            </span>
            <span>
              {by === operator.actor ? 'you' : nameOf(by)}{' '}
              <span className="t3 num">{timeOf(by)}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
