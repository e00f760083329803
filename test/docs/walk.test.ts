import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { expect, test } from 'vitest';
import { ByteWriter } from '../../src/bytes/pack.ts';
import { apply } from '../../src/core/venue.ts';
import type { PlaceOrders } from '../../src/domain/commands.ts';
import type { OrderRequest } from '../../src/domain/orders.ts';
import { sequence, timeMs } from '../../src/domain/units.ts';
import { type CoreVenue, venueWith } from '../support/core-venue.ts';

type Counted = {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
};

/**
 * The files of `src` of which a function is called while something runs. Those without a name do not count: the test
 * runner makes one for each export, and calls it wherever that is used.
 */
function filesEntered(run: () => void): string[] {
  const session = new Session();
  session.connect();
  const post = (method: string, params = {}): { result?: Counted[] } => {
    let answer = {};
    session.post(method, params, (fault, result) => {
      if (fault !== null) throw new Error(`${method}: ${fault.message}`);
      answer = result as object;
    });
    return answer;
  };
  post('Profiler.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  post('Profiler.takePreciseCoverage');
  run();
  const { result = [] } = post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result.flatMap(({ url, functions }) => {
    const file = /\/src\/(.*\.ts)$/.exec(url)?.[1];
    const isEntered = functions.some(
      ({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0,
    );
    return file === undefined || !isEntered ? [] : [file];
  });
}

const RICH = { main: { OX: '100000000', BTC: '10', USDT: '1000000' } };

function placing(venue: CoreVenue, family: string, order: Partial<OrderRequest>): PlaceOrders {
  const market = venue.market('BTC-USD-SWAP-LIN');
  const signature = { fingerprint: `${family}${venue.state.sequence}` };
  return {
    kind: 'place-orders',
    by: {
      key: venue.key(family, 'main', 'trade'),
      ...signature,
      signedAtMs: venue.nowMs,
      expiresAtMs: venue.nowMs + 60_000,
    },
    source: 10,
    orders: [
      {
        ...{ market, version: venue.state.markets[market]?.version ?? 0, side: 'BUY' },
        ...{ orderType: 'LIMIT', timeInForce: 'GTC', stpMode: 'NONE', triggerType: 'MARK_PRICE' },
        ...{ clientOrderId: 0n, priceTicks: 60_000, stopTicks: 0, sizeLots: 10, displayLots: 0 },
        ...{ amountParts: 0n, reduceOnly: false },
        ...order,
      } as OrderRequest,
    ],
  };
}

test('an order enters the files that docs/ARCHITECTURE.md lists', () => {
  const venue = venueWith({ maker: RICH, taker: RICH });
  const price = (asset: string, usd: bigint) => ({ asset, price: usd as never });
  const unit = 10n ** 8n;
  const prices = [price('BTC', 60_000n * unit), price('OX', unit / 100n), price('USDT', unit)];
  venue.apply({ kind: 'set-index-prices', prices });
  venue.apply({ kind: 'tick' } as never);
  // Both have traded before, and rest with a part of an order that is larger than what it meets.
  venue.apply(placing(venue, 'maker', { side: 'SELL', sizeLots: 100 }));
  const warm = venue.apply(placing(venue, 'taker', {}));
  expect(warm.map(({ kind }) => kind)).toContain('order-matched');
  const command = placing(venue, 'taker', {});
  const out = new ByteWriter();
  const stamped = {
    sequence: sequence(venue.state.sequence + 1),
    timeMs: timeMs(venue.nowMs),
    command,
  };
  const entered = filesEntered(() => apply(venue.state, stamped, out));

  const text = readFileSync('docs/ARCHITECTURE.md', 'utf8');
  const section = text.slice(text.indexOf('## The walk of an order'));
  const rows = section.slice(0, section.indexOf('\n## ', 4)).matchAll(/^\| (\S+\.ts) \|/gm);
  const listed = [...rows].map(([, file]) => file);
  expect(listed.toSorted()).toEqual(entered.toSorted());
  expect(section).toContain(`enters ${entered.length} files`);
});
