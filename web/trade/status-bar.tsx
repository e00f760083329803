import './status-bar.css';
import { useEffect, useState } from 'react';
import { Icon } from '../shared/icons.tsx';
import { clockText } from '../shared/number-text.ts';
import { settings } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import { venueNowMs } from '../shared/venue-clock.ts';
import { connection } from './feed.ts';
import { useDemoAccounts } from './sign-in.tsx';
import { isSlow } from './slow-frames.ts';

export function StatusBar({ onHelp }: { readonly onHelp: () => void }) {
  const isLive = useStore(connection, (state) => state.isLive);
  const isSlowNow = useStore(isSlow, (is) => is);
  const demos = useDemoAccounts();
  const zone = useStore(settings, (all) => all.zone);
  const [nowMs, setNowMs] = useState(venueNowMs());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(venueNowMs()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <footer className="status">
      <span className={isLive ? 'link good' : 'link warn'}>
        <span className="dot" />
        {isLive ? 'Live' : 'Connecting'}
      </span>
      {demos.length === 0 ? null : (
        <>
          <span className="vsep" />
          <span>
            <Icon name="flask" /> Demo venue: simulated market, no real money
          </span>
        </>
      )}
      {/* The last on its side: what comes and goes moves nothing. */}
      {isSlowNow ? <span>Drawing half as often: this browser is busy</span> : null}
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
