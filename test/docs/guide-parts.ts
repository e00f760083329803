import type { OrderSent, RialtoClient } from '../../src/client/index.ts';
import { type BookSide, bookPicture } from './book-picture.ts';
import type { RecordedVenue } from './recorded-venue.ts';

/** Computed parts of guides: tables between two markers in a guide, and pictures. */
export type GuideParts = {
  /** Lines of Markdown by guide. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /** SVG by file name. */
  readonly pictures: Readonly<Record<string, string>>;
};

const ETH = 'ETH-USDT';
const BTC = 'BTC-USD-SWAP-LIN';

export async function guideParts(venue: RecordedVenue): Promise<GuideParts> {
  const own = venue.clientOf(venue.keyOf(0, 'main', 'read', 'trade', 'withdraw'));
  const other = venue.clientOf(venue.keyOf(1, 'main', 'read', 'trade'));
  venue.setPrice('BTC', '60000');
  // Two minutes with an empty book: the mark is the index.
  for (const client of [own, other]) await client.cancelAllOrders();
  await venue.pass(150, 10);
  const { lines, pictures } = await orderTypes(own, other);
  return { tables: { 'order-types': lines, margin: await margin(venue, own) }, pictures };
}

const limit = (side: 'BUY' | 'SELL', quantity: string, price: string): OrderSent => ({
  ...{ marketCode: ETH, side, quantity, price },
  orderType: 'LIMIT',
});

/** The same book before each of them. */
const BOOK = [
  limit('SELL', '2', '3001'),
  limit('SELL', '3', '3002'),
  limit('SELL', '5', '3003'),
  limit('BUY', '2', '2999'),
  limit('BUY', '3', '2998'),
  limit('BUY', '5', '2997'),
];
type Case = { readonly file: string; readonly words: string; readonly order: OrderSent };
const { price: _, ...market } = limit('BUY', '4', '');
const CASES: readonly Case[] = [
  {
    ...{ file: 'book-limit', words: 'LIMIT, buy 1.5 at 2999.5' },
    order: limit('BUY', '1.5', '2999.5'),
  },
  { ...{ file: 'book-market', words: 'MARKET, buy 4' }, order: { ...market, orderType: 'MARKET' } },
  {
    ...{ file: 'book-ioc', words: 'LIMIT IOC, buy 6 at 3002' },
    order: { ...limit('BUY', '6', '3002'), timeInForce: 'IOC' },
  },
  {
    ...{ file: 'book-maker-only', words: 'LIMIT MAKER_ONLY, buy 1 at 3001' },
    order: { ...limit('BUY', '1', '3001'), timeInForce: 'MAKER_ONLY' },
  },
  {
    ...{ file: 'book-reprice', words: 'LIMIT MAKER_ONLY_REPRICE, buy 1 at 3001' },
    order: { ...limit('BUY', '1', '3001'), timeInForce: 'MAKER_ONLY_REPRICE' },
  },
  {
    ...{ file: 'book-iceberg', words: 'LIMIT, sell 10 at 3000.5, displayQuantity 1' },
    order: { ...limit('SELL', '10', '3000.5'), displayQuantity: '1' },
  },
];

async function orderTypes(own: RialtoClient, other: RialtoClient) {
  const lines = [
    '| order | status | filled | average price | what is left |',
    '|---|---|---|---|---|',
  ];
  const pictures: Record<string, string> = {};
  const book = async (): Promise<BookSide> => {
    const { asks, bids } = await own.depth({ marketCode: ETH, level: '4' });
    return { asks, bids };
  };
  for (const { file, words, order } of CASES) {
    await other.placeOrders({ orders: BOOK });
    const before = await book();
    const [placed] = await own.placeOrders({ responseType: 'FULL', orders: [order] });
    const { status = '', cumulativeMatchedQuantity = '0', avgFillPrice = '' } = placed ?? {};
    pictures[`${file}.svg`] = bookPicture(words, before, await book());
    const left = await own.workingOrders({ marketCode: ETH });
    const rest = left.map((one) => `${one.remainQuantity} open at ${one.price}`).join(', ');
    lines.push(
      `| ${words} | ${status} | ${cumulativeMatchedQuantity} | ${avgFillPrice} | ${rest === '' ? 'nothing' : rest} |`,
    );
    await own.cancelAllOrders({ marketCode: ETH });
    await other.cancelAllOrders({ marketCode: ETH });
  }
  return { lines, pictures };
}

const FALLING = ['60000', '57000', '54000', '53000', '52000', '51800'];

/** An account with 10,000 USDT that buys one BTC of the perpetual, by the venue's own estimate. */
async function margin(venue: RecordedVenue, own: RialtoClient): Promise<string[]> {
  await own.createSubAccount({ name: 'guide' });
  const moved = { asset: 'USDT', quantity: '10000', fromAccount: 'main', toAccount: 'guide' };
  await own.transfer(moved);
  const pair = await own.createApiKey({ account: 'guide', permissions: ['read'], label: 'guide' });
  const client = venue.clientOf(pair);
  const fills = [{ marketCode: BTC, side: 'BUY', quantity: '1', price: '60000' } as const];
  const lines = [
    '| BTC | unrealised PnL | collateral | initial margin | maintenance margin | marginRatio | liquidation at |',
    '|---|---|---|---|---|---|---|',
  ];
  for (const price of FALLING) {
    const prices = [{ asset: 'BTC', price }];
    const after = await client.estimateMargin({ fills, prices });
    const [position] = after.positions ?? [];
    lines.push(
      `| ${[
        price,
        position?.positionPnl ?? '',
        after.collateral,
        after.portfolioVarMargin,
        after.maintenanceMargin,
        after.marginRatio,
        position?.estLiquidationPrice ?? '',
      ].join(' | ')} |`,
    );
  }
  return lines;
}
