import './market-bar.css';
import { useEffect, useState } from 'react';
import { Icon } from '../shared/icons.tsx';
import {
  clockText,
  countdownText,
  decimalsOf,
  NONE,
  percentText,
  plain,
  shown,
} from '../shared/number-text.ts';
import { settings } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import { venueNowMs, venueTimeOf } from '../shared/venue-clock.ts';
import { connection, live, type Market, tryNow } from './feed.ts';
import { useTiers } from './tiers.ts';

export const STATE_WORDS: Readonly<Record<string, string>> = {
  OPEN: 'Open',
  CANCEL_ONLY: 'Cancel only',
  HALTED: 'Halted',
};

export function MarketBar(props: { readonly market: Market; readonly onPick: () => void }) {
  const { market, onPick } = props;
  const ticker = useStore(live, ({ tickers }) => tickers[market.marketCode]);
  const status = useStore(live, ({ statuses }) => statuses[market.marketCode]);
  const newest = useStore(live, ({ tape }) => tape[0]);
  const decimals = decimalsOf(market.tickSize);
  const traded = newest?.price ?? ticker?.last;
  const last = traded === undefined || Number(traded) === 0 ? market.markPrice : traded;
  const change = Number(last) / Number(ticker?.open24h ?? last) - 1;
  const isDown = change < 0;
  const leverage = useTiers()[market.marketCode]?.[0]?.leverage;
  const state = status?.state ?? market.state;
  const reason = status?.stateReason ?? market.stateReason;
  useEffect(() => {
    document.title = `${shown(last, decimals)} · ${market.name} · Rialto`;
  }, [last, decimals, market.name]);
  return (
    <section className="market panel" aria-label="Market">
      <button type="button" className="pick" aria-haspopup="dialog" onClick={onPick}>
        <Coin asset={market.base} />
        <span className="name">
          <b>{`${market.base}/${market.counter}`}</b>
          <span className="chip">{market.type === 'FUTURE' ? 'Perp' : 'Spot'}</span>
        </span>
        <Icon name="down" />
      </button>
      <div className="last">
        <b className={`num ${isDown ? 'sell' : 'buy'}`}>{shown(last, decimals)}</b>
        <span className={`change num ${isDown ? 'sell' : 'buy'}`}>
          {ticker === undefined
            ? NONE
            : `${isDown ? '▼' : '▲'} ${percentText(Math.abs(change)).replace('+', '')}`}
        </span>
      </div>
      <dl className="stats">
        <Stat name="Mark" value={shown(ticker?.markPrice ?? market.markPrice, decimals + 1)} />
        <Stat name="Index" value={shown(ticker?.indexPrice ?? market.indexPrice, decimals + 1)} />
        <Funding market={market} />
        <div className="high-low">
          <dt>24 h high · low</dt>
          <dd>
            {shown(ticker?.high24h, decimals)} <span className="t3">·</span>{' '}
            {shown(ticker?.low24h, decimals)}
          </dd>
        </div>
        <div className="wide">
          <dt>24 h volume</dt>
          <dd title={plain(ticker?.currencyVolume24h ?? '')}>
            {shown(ticker?.currencyVolume24h, 1)} <span className="t3">{market.base}</span>
          </dd>
        </div>
        {market.type === 'FUTURE' ? (
          <div className="wide">
            <dt>Open interest</dt>
            <dd title={plain(ticker?.openInterest ?? '')}>
              {shown(ticker?.openInterest, 1)} <span className="t3">{market.base}</span>
            </dd>
          </div>
        ) : null}
        {leverage === undefined ? null : (
          <div className="lever">
            <dt>Leverage</dt>
            <dd>to {plain(leverage)}×</dd>
          </div>
        )}
      </dl>
      <span className="grow" />
      <span className="state">
        {state === 'OPEN' ? null : <span className="reason t2">{reason}</span>}
        <span className={`chip ${state === 'OPEN' ? 'good' : 'warn'}`} title={reason}>
          <span className="dot" />
          {STATE_WORDS[state] ?? state}
        </span>
      </span>
      <Offline />
    </section>
  );
}

const Stat = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
);

const HUES: Readonly<Record<string, string>> = { BTC: 'btc', ETH: 'eth', SOL: 'sol', OX: 'ox' };

export const Coin = ({ asset }: { readonly asset: string }) => (
  <span className={`coin ${HUES[asset] ?? ''}`} aria-hidden="true">
    {asset.slice(0, 1)}
  </span>
);

/** The rate of the current hour, and when it is paid. */
export function Funding({ market }: { readonly market: Market }) {
  const [nowMs, setNowMs] = useState(venueNowMs());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(venueNowMs()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const { estFundingRate, fundingAt } = market;
  if (estFundingRate === undefined) return null;
  return (
    <div className="rate">
      <dt>Funding / h</dt>
      <dd>
        {percentText(Number(estFundingRate), 4)}{' '}
        <span className="t3">
          in {fundingAt === undefined ? '—' : countdownText(Number(fundingAt) - nowMs)}
        </span>
      </dd>
    </div>
  );
}

/** Most interruptions end before; until then stale data is marked, and the ticket shows that it waits. */
const SHOWN_AFTER_MS = 10_000;

/** In place of the market bar while the connection is lost. */
function Offline() {
  const { isLive, lostAtMs, retryAtMs } = useStore(connection, (all) => all);
  const zone = useStore(settings, (all) => all.zone);
  const [nowMs, setNowMs] = useState(Date.now());
  useEffect(() => {
    if (isLive) return undefined;
    const timer = setInterval(() => setNowMs(Date.now()), 250);
    return () => clearInterval(timer);
  }, [isLive]);
  if (isLive || lostAtMs === undefined || nowMs - lostAtMs < SHOWN_AFTER_MS) return null;
  const seconds = retryAtMs === undefined ? 0 : Math.ceil((retryAtMs - nowMs) / 1_000);
  return (
    <div className="offline">
      <Icon name="warn" />
      <span role="alert">
        <b>Not connected</b> Prices of {clockText(venueTimeOf(lostAtMs), zone)}. The ticket waits;
        cancelling works as long as the venue answers.
      </span>
      <span className="grow" />
      <span className="num">{seconds > 0 ? `Next try in ${seconds} s` : 'Trying now'}</span>
      <button type="button" className="btn s" onClick={tryNow}>
        Try now
      </button>
    </div>
  );
}
