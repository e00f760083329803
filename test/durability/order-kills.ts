import { freePort } from '../../scripts/free-ports.ts';
import type { OrderSent, RialtoClient } from '../../src/client/index.ts';
import { clientFor, startVenue, type Venue } from '../http/venue.ts';
import { argsOf, verify, withRetry } from './kills.ts';

export type OrderKillReport = {
  readonly kills: number;
  readonly placed: number;
  readonly cancelled: number;
  readonly matches: number;
  readonly faults: readonly string[];
};

const MARKETS = ['BTC-USDT', 'BTC-USD-SWAP-LIN'] as const;

/** What the venue has answered, and must therefore remember. */
type Acknowledged = {
  /** Filled quantity reported by an answer, by order id. */
  readonly filled: Map<string, { readonly who: number; readonly quantity: number }>;
  readonly cancelled: Map<string, number>;
  readonly matches: Map<string, number>;
};

/** Two families trade with each other while the venue is killed repeatedly. */
export async function runOrderKills(kills: number, random: () => number): Promise<OrderKillReport> {
  const port = await freePort();
  let venue = await startVenue({ port });
  const { data } = venue;
  const faults: string[] = [];
  const acknowledged: Acknowledged = {
    filled: new Map(),
    cancelled: new Map(),
    matches: new Map(),
  };
  for (let kill = 0; kill < kills; kill++) {
    await tradeUntilKilled(venue, acknowledged, random, 8 + random() * 60);
    venue = await startVenue({ port, data, args: argsOf(kill) });
    await check(venue, acknowledged, faults);
  }
  await venue.stop();
  const verified = verify(data);
  if (!verified.trimEnd().endsWith('balanced')) faults.push(`verify says: ${verified}`);
  const { filled, cancelled, matches } = acknowledged;
  return { kills, placed: filled.size, cancelled: cancelled.size, matches: matches.size, faults };
}

async function tradeUntilKilled(
  venue: Venue,
  acknowledged: Acknowledged,
  random: () => number,
  afterAnswers: number,
): Promise<void> {
  const clients = [clientFor(venue), clientFor(venue, 'main', 1)];
  let answers = 0;
  const enough = Promise.withResolvers<void>();
  let isDown = false;
  const trader = async (who: number): Promise<void> => {
    const client = clients[who] as RialtoClient;
    while (!isDown) {
      const marketCode = MARKETS[random() < 0.5 ? 0 : 1];
      await placeAndPerhapsCancel(client, who, marketCode, acknowledged, random).then(
        () => {
          // Counted in answers, not in time: a busy machine answers later, not less.
          if (++answers >= afterAnswers) enough.resolve();
        },
        () => undefined,
      );
    }
  };
  const traders = [0, 1, 0, 1].map(trader);
  await enough.promise;
  await venue.kill();
  isDown = true;
  await Promise.all(traders);
}

async function placeAndPerhapsCancel(
  client: RialtoClient,
  who: number,
  marketCode: string,
  acknowledged: Acknowledged,
  random: () => number,
): Promise<void> {
  const order = (): OrderSent => ({
    marketCode,
    side: random() < 0.5 ? 'BUY' : 'SELL',
    orderType: 'LIMIT',
    quantity: (0.001 * (1 + Math.floor(random() * 5))).toFixed(4),
    price: String(59_990 + Math.floor(random() * 21)),
    // A family that traded with itself would have both sides of a match.
    selfTradePreventionMode: 'EXPIRE_TAKER',
  });
  const placed = await client.placeOrders({ responseType: 'FULL', orders: [order(), order()] });
  for (const { orderId, submitted, cumulativeMatchedQuantity, matchId } of placed) {
    if (!submitted || orderId === undefined) continue;
    acknowledged.filled.set(orderId, { who, quantity: Number(cumulativeMatchedQuantity ?? 0) });
    if (matchId !== undefined) acknowledged.matches.set(matchId, who);
  }
  const orderId = placed[0]?.orderId;
  if (orderId === undefined || random() < 0.4) return;
  const [cancelled] = await client.cancelOrders({
    responseType: 'FULL',
    orders: [{ marketCode, orderId }],
  });
  if (cancelled?.submitted === true) acknowledged.cancelled.set(orderId, who);
}

async function check(venue: Venue, acknowledged: Acknowledged, faults: string[]): Promise<void> {
  const clients = [clientFor(venue), clientFor(venue, 'main', 1)];
  const seen = await Promise.all(clients.map(allMatches));
  for (const [who, matches] of seen.entries()) {
    for (const [matchId, times] of matches) {
      if (times > 1) faults.push(`match ${matchId} is there ${times} times for ${who}`);
      if (!seen[1 - who]?.has(matchId)) faults.push(`match ${matchId} has one side only`);
    }
  }
  for (const [matchId, who] of acknowledged.matches) {
    if (!seen[who]?.has(matchId)) faults.push(`match ${matchId} is lost`);
  }
  for (const [orderId, { who, quantity }] of acknowledged.filled) {
    const order = await withRetry(async () => clients[who]?.orderStatus({ orderId }));
    if (Number(order?.cumulativeMatchedQuantity ?? 0) < quantity)
      faults.push(`${orderId} lost a fill`);
    if (acknowledged.cancelled.has(orderId) && order?.status !== 'CANCELED') {
      faults.push(`${orderId} was cancelled, now it is ${order?.status}`);
    }
  }
  // Closed orders are checked once, not after every kill.
  for (const orderId of acknowledged.cancelled.keys()) acknowledged.filled.delete(orderId);
}

/** How often each match is in the account's history. Here two families only trade with each other. */
async function allMatches(client: RialtoClient): Promise<Map<string, number>> {
  const matches = new Map<string, number>();
  let beforeId: string | undefined;
  for (;;) {
    const from = beforeId === undefined ? {} : { beforeId };
    const page = await withRetry(() => client.trades({ limit: '500', ...from }));
    for (const { matchId } of page) matches.set(matchId, (matches.get(matchId) ?? 0) + 1);
    if (page.length < 500) return matches;
    beforeId = page.at(-1)?.matchId;
  }
}
