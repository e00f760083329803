import './blotter.css';
import { useId, useMemo, useState } from 'react';
import { csvText, withIsoTimes } from '../shared/csv.ts';
import { Icon } from '../shared/icons.tsx';
import { notify } from '../shared/messages.tsx';
import { linkTo } from '../shared/navigate.ts';
import { saveFile } from '../shared/save-file.ts';
import type { Session } from '../shared/session.ts';
import { createStore, useStore } from '../shared/store.ts';
import { Tabs } from '../shared/tabs.tsx';
import { Balances } from './balances.tsx';
import { live, type Market } from './feed.ts';
import { isWaitingStop, type OpenOrder } from './live-orders.ts';
import { valuedBalances } from './live-state.ts';
import { confirmCancel, confirmCloseAll } from './many-orders.tsx';
import { OpenOrders } from './open-orders.tsx';
import { ClosedOrders, FundingPaid, OwnTrades } from './past.tsx';
import { Positions } from './positions.tsx';

export const BLOTTER_TABS = [
  'positions',
  'orders',
  'stops',
  'balances',
  'trades',
  'funding',
  'history',
] as const;
export type BlotterTab = (typeof BLOTTER_TABS)[number];
export const blotterTab = createStore<BlotterTab>('positions', true);

const WORDS: Readonly<Record<BlotterTab, string>> = {
  positions: 'Positions',
  orders: 'Orders',
  stops: 'Stops',
  balances: 'Balances',
  trades: 'Trades',
  funding: 'Funding',
  history: 'History',
};

/** Their names on the History page. */
const KIND_OF: Partial<Record<BlotterTab, string>> = {
  trades: 'trades',
  funding: 'funding',
  history: 'orders',
};

export function Blotter(props: { readonly market: Market; readonly session: Session | undefined }) {
  const { market, session } = props;
  const tab = useStore(blotterTab, (name) => name);
  const [isOneMarket, setOneMarket] = useState(false);
  const orders = useStore(live, (state) => state.orders);
  const positions = useStore(live, (state) => state.positions);
  const only = isOneMarket ? market.marketCode : undefined;
  const isShown = ({ marketCode }: { readonly marketCode: string }): boolean =>
    only === undefined || marketCode === only;
  const { open, stops, resting } = useMemo(() => sortedOut(orders, only), [orders, only]);
  const held = Object.values(positions).filter(isShown);
  const counts: Partial<Record<BlotterTab, number>> = {
    positions: held.length,
    orders: resting.length,
    stops: stops.length,
  };
  const panelId = useId();
  const kind = KIND_OF[tab];
  const save = (): void => {
    const rows = {
      positions: held,
      orders: resting,
      stops,
      balances: valuedBalances(live.get()),
    };
    const shown = (rows[tab as keyof typeof rows] ?? []) as readonly Record<string, unknown>[];
    const [first] = shown;
    if (first === undefined)
      notify('info', 'Nothing to save', `There are no ${WORDS[tab].toLowerCase()}.`);
    else saveFile(`${tab}.csv`, csvText(Object.keys(first), shown.map(withIsoTimes)));
  };
  return (
    <section className="blotter panel" aria-label="Account activity">
      <div className="bar">
        <Tabs
          label="Activity"
          panelId={panelId}
          tabs={BLOTTER_TABS.map((name) => ({
            name,
            label: WORDS[name],
            count: counts[name] ?? 0,
          }))}
          chosen={tab}
          onChoose={blotterTab.set}
        />
        <span className="grow" />
        {session === undefined ? null : (
          <>
            <label className="ck">
              <input
                type="checkbox"
                checked={isOneMarket}
                onChange={(event) => setOneMarket(event.target.checked)}
              />{' '}
              <span className="words">{`${market.base}/${market.counter} only`}</span>
            </label>
            {kind === undefined ? (
              <button
                type="button"
                className="btn s ghost icon"
                aria-label="Save as CSV"
                onClick={save}
              >
                <Icon name="csv" />
              </button>
            ) : (
              // The latest rows are here; History filters and exports any time range.
              <a
                className="btn s ghost icon"
                {...linkTo(
                  `/history?kind=${kind}${only === undefined ? '' : `&marketCode=${only}`}`,
                )}
              >
                <Icon name="csv" />
                <span className="sr">Save as CSV on the History page</span>
              </a>
            )}
          </>
        )}
        {(tab === 'orders' || tab === 'stops') && open.length > 0 ? (
          <button type="button" className="btn s" onClick={() => confirmCancel(only)}>
            {stops.length > 0 && resting.length > 0
              ? `Cancel orders and stops (${open.length})…`
              : `Cancel ${open.length} ${open.length === 1 ? 'order' : 'orders'}…`}
          </button>
        ) : null}
        {tab === 'positions' && held.length > 0 ? (
          <button type="button" className="btn s" onClick={() => confirmCloseAll(held)}>
            Close all…
          </button>
        ) : null}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <div className="scroll" id={panelId} role="tabpanel" aria-label={WORDS[tab]} tabIndex={0}>
        {session === undefined ? (
          <div className="empty">
            <b>Nobody is signed in</b>
            <span>Positions, orders and balances will be here.</span>
          </div>
        ) : (
          <Shown key={session.accountId} {...{ tab, session, only, held, resting, stops }} />
        )}
      </div>
    </section>
  );
}

/** Of a market, or of all. */
function sortedOut(orders: ReadonlyMap<string, OpenOrder>, only: string | undefined) {
  const all = [...orders.values()];
  const open = only === undefined ? all : all.filter(({ marketCode }) => marketCode === only);
  const stops = open.filter(isWaitingStop);
  return { open, stops, resting: open.filter((order) => !isWaitingStop(order)) };
}

function Shown(props: {
  readonly tab: BlotterTab;
  readonly session: Session;
  readonly only: string | undefined;
  readonly held: Parameters<typeof Positions>[0]['positions'];
  readonly resting: Parameters<typeof OpenOrders>[0]['orders'];
  readonly stops: Parameters<typeof OpenOrders>[0]['orders'];
}) {
  const { tab, session, only, held, resting, stops } = props;
  switch (tab) {
    case 'positions':
      return <Positions positions={held} />;
    case 'orders':
      return <OpenOrders orders={resting} areStops={false} />;
    case 'stops':
      return <OpenOrders orders={stops} areStops={true} />;
    case 'balances':
      return <Balances />;
    case 'trades':
      return <OwnTrades session={session} marketCode={only} />;
    case 'funding':
      return <FundingPaid session={session} marketCode={only} />;
    case 'history':
      return <ClosedOrders session={session} marketCode={only} />;
    default:
      return null;
  }
}
