import type { ReplyOf } from '../../src/client/index.ts';
import { listPrices } from '../../src/wire/operator-markets.ts';
import { clockText, NONE, plain } from '../shared/number-text.ts';
import { MarketList } from './market-list.tsx';
import { type Column, List, Panel } from './panel.tsx';
import { useRead } from './reads.ts';
import type { Place } from './routes.ts';
import { Terms } from './terms.tsx';

/** State and prices of every market, the index of every asset, and the terms. */
export function Markets({ operator }: Place) {
  const prices = useRead(listPrices, {});
  return (
    <>
      <MarketList operator={operator} />
      <div className="cols">
        <Panel title="Index prices" note="USD" count={prices.data?.length} reads={[prices]}>
          <List
            label="Index prices"
            columns={PRICES}
            rows={prices.data}
            keyOf={({ asset }) => asset}
            empty="The venue has no asset."
          />
        </Panel>
        <Terms operator={operator} />
      </div>
    </>
  );
}

const PRICES: readonly Column<ReplyOf<typeof listPrices>[number]>[] = [
  { name: 'Asset', show: ({ asset }) => <b>{asset}</b> },
  { name: 'Index', isRight: true, show: ({ price }) => plain(price, 8) },
  {
    name: 'Sources',
    show: ({ sources, quoted }) =>
      sources.length === 0 ? (
        <span className="t3">{quoted ? 'none now' : 'genesis'}</span>
      ) : (
        <span className="chips">
          {sources.map(({ source, price, counts }) => (
            <span key={source} className={counts ? 'chip' : 'chip warn'} title={price}>
              {source}
              {counts ? '' : ', does not count'}
            </span>
          ))}
        </span>
      ),
  },
  {
    name: 'Heard',
    isRight: true,
    from: 'm',
    show: ({ sources }) => {
      const newest = Math.max(0, ...sources.map(({ at }) => Number(at)));
      return newest === 0 ? NONE : clockText(newest);
    },
  },
];
