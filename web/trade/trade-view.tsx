import './trade-view.css';
import { Fragment, useEffect, useState } from 'react';
import { Messages } from '../shared/messages.tsx';
import { sessions } from '../shared/session.ts';
import { useStore } from '../shared/store.ts';
import { Tabs } from '../shared/tabs.tsx';
import { AccountHealth } from './account-health.tsx';
import { Blotter } from './blotter.tsx';
import { Chart } from './chart/chart.tsx';
import { Coach } from './coach.tsx';
import { chosen, marketOf, markets } from './feed.ts';
import { useOldSince } from './freshness.ts';
import { layout } from './layout.ts';
import { MarketBar } from './market-bar.tsx';
import { MarketInfo } from './market-info.tsx';
import { OrderBook } from './order-book/order-book.tsx';
import { Split } from './split.tsx';
import { Tape } from './tape/tape.tsx';
import { Ticket } from './ticket/ticket.tsx';
import { changeTicket, isSheet } from './ticket/ticket-state.ts';
import { Welcome } from './welcome.tsx';

type View = 'chart' | 'book' | 'tape' | 'info';
const VIEWS = [
  { name: 'chart', label: 'Chart' },
  { name: 'book', label: 'Book' },
  { name: 'tape', label: 'Trades' },
  { name: 'info', label: 'Info' },
] as const;

export function TradeView({ onPick }: { readonly onPick: () => void }) {
  const code = useStore(chosen, (view) => view.marketCode);
  const market = useStore(markets, (all) => marketOf(all, code));
  const session = useStore(sessions, (signed) => signed.session);
  const [view, setView] = useState<View>('chart');
  const isOpen = useSheet();
  const [middle, setMiddle] = useState<'book' | 'tape'>('book');
  const { bookWidth, blotterHeight, isBookShown } = useStore(layout, (all) => all);
  const oldSince = useOldSince();
  const stale = oldSince === undefined ? undefined : '';
  if (market === undefined) return <main className="trade" aria-busy="true" />;
  const open = (side: 'BUY' | 'SELL') => () => {
    changeTicket({ side });
    isSheet.set(true);
  };
  return (
    <main
      className={isOpen ? 'trade sheet' : 'trade'}
      data-view={view}
      data-middle={middle}
      data-book={isBookShown ? 'on' : 'off'}
      style={sizesOf(bookWidth, blotterHeight)}
    >
      <h1 className="sr">{market.name}</h1>
      <MarketBar market={market} onPick={onPick} />
      <Tabs className="views" label="View" tabs={VIEWS} chosen={view} onChoose={setView} />
      <div className="chart-cell" data-stale={stale}>
        <Chart market={market} oldSince={oldSince} />
        <Messages />
      </div>
      <Split
        between="columns"
        label="Width of the order book"
        of=".middle"
        size={bookWidth}
        min={200}
        max={480}
        onMove={(width) => layout.update((before) => ({ ...before, bookWidth: width }))}
      />
      <Split
        between="rows"
        label="Height of the tables"
        of=".blotter"
        size={blotterHeight}
        min={120}
        max={520}
        onMove={(height) => layout.update((before) => ({ ...before, blotterHeight: height }))}
      />
      <div className="middle" data-stale={stale}>
        <OrderBook market={market} oldSince={oldSince} onOther={() => setMiddle('tape')} />
        <Tape market={market} oldSince={oldSince} onOther={() => setMiddle('book')} />
      </div>
      <MarketInfo market={market} />
      <div className="right">
        {/* Nothing that was read or refused for one account is shown for another. */}
        {session === undefined ? (
          <Welcome />
        ) : (
          <Fragment key={session.accountId}>
            <Ticket {...{ market, session, oldSince }} />
            <AccountHealth session={session} />
          </Fragment>
        )}
      </div>
      <Blotter market={market} session={session} />
      {session === undefined ? null : <Coach market={market} />}
      <div className="dock">
        <button type="button" className="go buy-go" onClick={open('BUY')}>
          Buy {market.type === 'FUTURE' ? <em>Long</em> : null}
        </button>
        <button type="button" className="go sell-go" onClick={open('SELL')}>
          Sell {market.type === 'FUTURE' ? <em>Short</em> : null}
        </button>
      </div>
      {isOpen ? (
        <button
          type="button"
          className="veil"
          aria-label="Close the ticket"
          onClick={() => isSheet.set(false)}
        />
      ) : null}
    </main>
  );
}

/**
 * A phone's ticket has the focus while it is open; Esc closes it outside of its fields, and restores the
 * focus.
 */
function useSheet(): boolean {
  const isOpen = useStore(isSheet, (is) => is);
  useEffect(() => {
    if (!isOpen) return undefined;
    const before = document.activeElement;
    document.getElementById('ticket')?.focus();
    const onKeyDown = ({ key, target }: KeyboardEvent): void => {
      const isField = target instanceof Element && target.matches('input, select');
      if (key === 'Escape' && !isField) isSheet.set(false);
    };
    addEventListener('keydown', onKeyDown);
    return () => {
      removeEventListener('keydown', onKeyDown);
      if (before instanceof HTMLElement) before.focus();
    };
  }, [isOpen]);
  useEffect(() => () => isSheet.set(false), []);
  return isOpen;
}

/** Only what was moved is set: the stylesheet, which knows the width of the window, does the rest. */
function sizesOf(
  bookWidth: number | undefined,
  blotterHeight: number | undefined,
): React.CSSProperties {
  return {
    ...(bookWidth === undefined ? {} : { '--book-width': `${bookWidth}px` }),
    ...(blotterHeight === undefined ? {} : { '--blotter-height': `${blotterHeight}px` }),
  } as React.CSSProperties;
}
