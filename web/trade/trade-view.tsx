import { useEffect, useRef, useState } from 'react';
import { say } from '../shared/messages.tsx';
import { grouped } from '../shared/number-text.ts';
import { sessions } from '../shared/session.ts';
import { useStore } from '../shared/store.ts';
import { Tabs } from '../shared/tabs.tsx';
import { AccountHealth } from './account-health.tsx';
import { Blotter } from './blotter.tsx';
import { Chart } from './chart/chart.tsx';
import { chosen, connection, live, marketOf, markets } from './feed.ts';
import { MarketBar } from './market-bar.tsx';
import { OrderBook } from './order-book/order-book.tsx';
import { Tape } from './tape.tsx';
import { Ticket } from './ticket/ticket.tsx';
import { ticket } from './ticket/ticket-state.ts';
import { Welcome } from './welcome.tsx';

type View = 'chart' | 'book' | 'tape';
const VIEWS = [
  { name: 'chart', label: 'Chart' },
  { name: 'book', label: 'Book' },
  { name: 'tape', label: 'Trades' },
] as const;

const STALE_MS = 8_000;

export function TradeView({ onPick }: { readonly onPick: () => void }) {
  const code = useStore(chosen, (view) => view.marketCode);
  const market = useStore(markets, (all) => marketOf(all, code));
  const session = useStore(sessions, (signed) => signed.session);
  const [view, setView] = useState<View>('chart');
  const [isSheet, setSheet] = useState(false);
  const isStale = useStale();
  useFillMessages();
  if (market === undefined) return <main className="trade" aria-busy="true" />;
  const open = (side: 'BUY' | 'SELL') => () => {
    ticket.update((form) => ({ ...form, side }));
    setSheet(true);
  };
  return (
    <main
      className={isSheet ? 'trade sheet' : 'trade'}
      data-view={view}
      data-stale={isStale ? '' : undefined}
    >
      <h1 className="sr">{market.name}</h1>
      <MarketBar market={market} onPick={onPick} />
      <Tabs className="views" label="View" tabs={VIEWS} chosen={view} onChoose={setView} />
      <Chart market={market} />
      <OrderBook market={market} />
      <Tape market={market} />
      {session === undefined ? <Welcome /> : <Ticket market={market} session={session} />}
      {session === undefined ? null : <AccountHealth session={session} />}
      <Blotter market={market} session={session} />
      <div className="dock">
        <button type="button" className="go buy-go" onClick={open('BUY')}>
          Buy
        </button>
        <button type="button" className="go sell-go" onClick={open('SELL')}>
          Sell
        </button>
      </div>
      {isSheet ? (
        <button
          type="button"
          className="veil"
          aria-label="Close the ticket"
          onClick={() => setSheet(false)}
        />
      ) : null}
    </main>
  );
}

/** Nothing was heard for a while: what is shown is old, and looks it. */
function useStale(): boolean {
  const [isStale, setStale] = useState(false);
  useEffect(() => {
    const timer = setInterval(() => {
      const { heardAtMs, isLive } = connection.get();
      setStale(heardAtMs > 0 && (!isLive || Date.now() - heardAtMs > STALE_MS));
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  return isStale;
}

/** Fills are announced; those from before the page was opened are not. */
function useFillMessages(): void {
  const told = useRef(new Set<string>());
  useEffect(
    () =>
      live.subscribe(() => {
        for (const fill of live.get().fills) {
          const id = `${fill.matchId}${fill.side}`;
          if (told.current.has(id)) continue;
          told.current.add(id);
          const words = fill.side === 'BUY' ? 'Bought' : 'Sold';
          const name = marketOf(markets.get(), fill.marketCode)?.name ?? fill.marketCode;
          say('good', `${words} ${grouped(fill.quantity)} at ${grouped(fill.price)}`, name);
        }
      }),
    [],
  );
}
