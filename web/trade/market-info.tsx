import './market-info.css';
import {
  decimalsOf,
  nativeText,
  percentText,
  plain,
  shown,
  visible,
} from '../shared/number-text.ts';
import { useStore } from '../shared/store.ts';
import { type Column, Table } from '../shared/table.tsx';
import { live, type Market } from './feed.ts';
import { Funding, STATE_WORDS } from './market-bar.tsx';
import { type Tier, useTiers } from './tiers.ts';

/** Everything about a market: its figures, its terms, its tiers. A separate view on phones. */
export function MarketInfo({ market }: { readonly market: Market }) {
  const ticker = useStore(live, ({ tickers }) => tickers[market.marketCode]);
  const status = useStore(live, ({ statuses }) => statuses[market.marketCode]);
  const tiers = useTiers()[market.marketCode];
  const decimals = decimalsOf(market.tickSize);
  const isPerpetual = market.type === 'FUTURE';
  const state = status?.state ?? market.state;
  const reason = status?.stateReason ?? market.stateReason;
  const price = (text: string | undefined): string => `${shown(text, decimals)} ${market.counter}`;
  const base = (text: string | undefined): string =>
    `${visible(text ?? '0', 4, plain)} ${market.base}`;
  return (
    <section className="market-info panel" aria-label="Market information">
      <div className="bar">
        <h2 className="ttl">{market.name}</h2>
      </div>
      <dl className="kv">
        <Fact name="State">
          {STATE_WORDS[state] ?? state}
          {reason === undefined || reason === '' ? '' : `: ${reason}`}
        </Fact>
        <Fact name="Kind">
          {isPerpetual ? 'Perpetual, settled in OX (100 to the dollar)' : 'Spot'}
        </Fact>
        <Fact name="24 h high">{price(ticker?.high24h)}</Fact>
        <Fact name="24 h low">{price(ticker?.low24h)}</Fact>
        <Fact name="24 h volume">{base(ticker?.currencyVolume24h)}</Fact>
        {isPerpetual ? <Fact name="Open interest">{base(ticker?.openInterest)}</Fact> : null}
        {isPerpetual ? <Funding market={market} /> : null}
        <Fact name="Tick">{`${plain(market.tickSize)} ${market.counter}`}</Fact>
        <Fact name="Lot">{`${plain(market.minSize)} ${market.base}`}</Fact>
        <Fact name="Prices taken">
          {`${shown(status?.lowerPriceBound ?? market.lowerPriceBound, decimals)} to ${shown(status?.upperPriceBound ?? market.upperPriceBound, decimals)}`}
        </Fact>
      </dl>
      {tiers === undefined ? null : (
        <Table
          label="Leverage by value of the position"
          columns={TIER_COLUMNS}
          rows={tiers}
          keyOf={({ tier }) => tier}
          empty={null}
        />
      )}
    </section>
  );
}

const Fact = (props: { readonly name: string; readonly children: React.ReactNode }) => (
  <div>
    <dt>{props.name}</dt>
    <dd className="num">{props.children}</dd>
  </div>
);

const percent = (part: string): string => percentText(Number(part), 2).replace('+', '');

const TIER_COLUMNS: readonly Column<Tier>[] = [
  { name: 'Up to OX', show: ({ positionCap }) => nativeText(positionCap) },
  { name: 'Leverage', isRight: true, show: ({ leverage }) => `${plain(leverage)}×` },
  { name: 'Initial', isRight: true, show: ({ initialMargin }) => percent(initialMargin) },
  {
    name: 'Maintenance',
    isRight: true,
    show: ({ maintenanceMargin }) => percent(maintenanceMargin),
  },
];
