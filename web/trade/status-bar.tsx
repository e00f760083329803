import './status-bar.css';
import { useEffect, useState } from 'react';
import { Icon } from '../shared/icons.tsx';
import { clockText, grouped, tripText } from '../shared/number-text.ts';
import { settings } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import { venueNowMs } from '../shared/venue-clock.ts';
import { connection } from './feed.ts';
import { useOldSince } from './freshness.ts';
import { useDemo } from './sign-in.tsx';
import { isSlow } from './slow-frames.ts';

const lookNow = () => {
  const { bookSeq, roundTripMs } = connection.get();
  return { nowMs: venueNowMs(), bookSeq, roundTripMs };
};

export function StatusBar({ onHelp }: { readonly onHelp: () => void }) {
  const isLive = useStore(connection, (state) => state.isLive);
  const isAnswering = useOldSince() === undefined;
  const isSlowNow = useStore(isSlow, (is) => is);
  const { accounts: demos, market } = useDemo();
  const zone = useStore(settings, (all) => all.zone);
  // Read with the clock: they change with every message.
  const [{ nowMs, bookSeq, roundTripMs }, setNow] = useState(lookNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(lookNow()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <footer className="status">
      <span
        className={isLive && isAnswering ? 'link good' : 'link warn'}
        title={`Last message of the book: ${grouped(String(bookSeq))}`}
      >
        <span className="dot" />
        {isLive ? (isAnswering ? 'Live' : 'No answer') : 'Connecting'}
      </span>
      {/* There before anything is known: what stands behind it does not move. */}
      <span className="num trip" title="The venue’s last answer took so long">
        {isLive && isAnswering && roundTripMs !== undefined ? tripText(roundTripMs) : ''}
      </span>
      {demos.length === 0 ? null : (
        <>
          <span className="vsep" />
          <span className="note">
            <Icon name="flask" /> Demo venue: simulated market, no real money
            {market.seed === undefined ? '' : `, seed ${market.seed}`}
          </span>
        </>
      )}
      {/* The last on its side: what comes and goes moves nothing. */}
      {isSlowNow ? <span className="note">Drawing half as often: this browser is busy</span> : null}
      <span className="grow" />
      <span className="num">
        {clockText(nowMs, zone)} {zone === 'utc' ? 'UTC' : ''}
      </span>
      <span className="vsep" />
      <button type="button" className="help" onClick={onHelp}>
        <span className="kbd">?</span> Shortcuts
      </button>
    </footer>
  );
}
