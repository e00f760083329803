import { useState } from 'react';
import type { ReplyOf } from '../../src/client/index.ts';
import { listMarkets, setMarketState } from '../../src/wire/operator-markets.ts';
import { grouped, isZero, NONE, plain } from '../shared/number-text.ts';
import { useStore } from '../shared/store.ts';
import { ActButton } from './act-button.tsx';
import { HaltDialog } from './halt.tsx';
import { type Column, List, Panel } from './panel.tsx';
import { now, useRead } from './reads.ts';
import type { Operator } from './session.ts';
import { basisPoints, priceText, statusText } from './text.ts';

type Market = ReplyOf<typeof listMarkets>[number];

/** With an index price older than this, a market accepts cancels only. */
const STALE_MS = 30_000;

/** A state is a word with a dot; if orders are not accepted, the reason is the title. */
export function MarketState({ market }: { readonly market: Market }) {
  const { state, reason, operational } = market;
  const isWaiting = state === 'OPEN' && !operational;
  const kind = state === 'HALTED' ? 'bad' : state !== 'OPEN' || isWaiting ? 'warn' : 'good';
  return (
    <span className={`chip ${kind}`} title={isWaiting ? 'no index price of now' : reason}>
      <span className="dot" />
      {isWaiting ? 'No prices' : statusText(state)}
    </span>
  );
}

export function MarketList(props: {
  readonly operator: Operator;
  /** On the overview: the columns that fit beside two other panels. */
  readonly isShort?: boolean;
}) {
  const { operator, isShort = false } = props;
  const markets = useRead(listMarkets, {});
  const nowMs = useStore(now, (ms) => ms);
  const [selected, setSelected] = useState<string>();
  const ageOf = ({ priceAt }: Market): number => nowMs - Number(priceAt ?? 0);
  const columns: readonly Column<Market>[] = [
    { name: 'Market', show: ({ marketCode }) => <b>{marketCode}</b> },
    { name: 'State', show: (market) => <MarketState market={market} /> },
    ...(isShort
      ? []
      : [
          {
            name: 'Reason',
            from: 'l',
            show: ({ reason }: Market) => <span className="t2 cut">{reason || NONE}</span>,
          } as const,
        ]),
    {
      name: 'Mark',
      isRight: true,
      from: 'm',
      show: ({ mark, tickSize }) => priceText(mark, tickSize),
    },
    ...(isShort
      ? []
      : [
          {
            name: 'Index',
            isRight: true,
            from: 'l',
            show: ({ index, tickSize }: Market) => priceText(index, tickSize),
          } as const,
          {
            name: 'Last',
            isRight: true,
            from: 'l',
            show: ({ lastTradedPrice }: Market) =>
              isZero(lastTradedPrice) ? NONE : plain(lastTradedPrice),
          } as const,
        ]),
    {
      name: isShort ? 'Index' : 'Index age',
      isRight: true,
      from: isShort ? 'xl' : 'm',
      show: (market) =>
        market.priceAt === undefined ? (
          NONE
        ) : (
          <span className={ageOf(market) > STALE_MS ? 'warn' : 't2'}>
            {(Math.max(0, ageOf(market)) / 1_000).toFixed(1)} s
          </span>
        ),
    },
    {
      name: 'Off index',
      isRight: true,
      from: isShort ? 'xl' : 'm',
      show: ({ mark, index }) => <span className="t2">{basisPoints(mark, index)} bp</span>,
    },
    {
      name: isShort ? 'OI' : 'Open interest',
      isRight: true,
      ...(isShort ? {} : { from: 'm' }),
      show: ({ openInterest, type }) =>
        type === 'SPOT' ? <span className="t3">{NONE}</span> : grouped(openInterest),
    },
    {
      name: 'State of the market',
      isHeadHidden: true,
      isRight: true,
      show: ({ marketCode }) => (
        <ActButton
          {...{ operator, endpoint: setMarketState, className: 'btn s ghost' }}
          label={`Change the state of ${marketCode}`}
          onClick={() => setSelected(marketCode)}
        >
          {isShort ? '···' : 'Change…'}
        </ActButton>
      ),
    },
  ];
  return (
    <Panel
      title="Markets"
      className="at-markets"
      count={markets.data?.length}
      {...(isShort ? { to: ['/console/markets', 'All markets'] as const } : {})}
      reads={[markets]}
    >
      <List
        label="Markets"
        columns={columns}
        rows={markets.data}
        keyOf={({ marketCode }) => marketCode}
        empty="The venue has no market."
      />
      {selected === undefined ? null : (
        <HaltDialog operator={operator} market={selected} onClose={() => setSelected(undefined)} />
      )}
    </Panel>
  );
}
