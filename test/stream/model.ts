import {
  LocalBook,
  type RialtoClient,
  RialtoStream,
  type StreamMessage,
} from '../../src/client/index.ts';
import { Random } from '../simulation/random.ts';

/**
 * A client that uses only the stream: its book, orders and balances are built from messages alone, over
 * connections that are lost at any moment. After each step they must equal REST.
 */
export type ModelRun = {
  readonly baseUrl: string;
  readonly key: { readonly accessKey: string; readonly secret: string };
  /** Clients of the same account, and of a counterparty. */
  readonly own: RialtoClient;
  readonly other: RialtoClient;
  readonly steps: number;
  readonly seed: number;
};
export type ModelReport = {
  readonly steps: number;
  readonly losses: number;
  readonly received: number;
  readonly resumed: number;
  readonly faults: readonly string[];
};

const MARKET = 'BTC-USDT';
const SETTLE_MS = 20_000;

export async function runModel(run: ModelRun): Promise<ModelReport> {
  const random = new Random(run.seed);
  const known = new Known();
  const faults: string[] = [];
  let losses = 0;
  const stream = new RialtoStream({
    baseUrl: run.baseUrl,
    ...run.key,
    // It reconnects immediately: the venue may not have noticed that it was gone.
    after: (delayMs, call) => {
      const timer = setTimeout(call, delayMs < 1_000 ? 1 : delayMs);
      return () => clearTimeout(timer);
    },
    onTrouble: (words) => {
      if (words.includes('missing')) faults.push(words);
    },
  });
  const counted = (apply: (message: StreamMessage) => void) => (message: StreamMessage) => {
    known.count(message, faults);
    apply(message);
  };
  stream.subscribe(
    `depthUpdate:${MARKET}`,
    counted((message) => known.book.hear(message)),
  );
  stream.subscribe(
    'order:all',
    counted((message) => known.applyOrder(message)),
  );
  stream.subscribe(
    'balance:all',
    counted((message) => known.applyBalance(message)),
  );
  try {
    for (let step = 1; step <= run.steps && faults.length === 0; step++) {
      const acts = random.between(1, 6);
      for (let act = 0; act < acts; act++) {
        if (random.chance(0.3)) {
          losses++;
          stream.drop();
        }
        await actOnce(run, stream, random);
      }
      const fault = await differenceAfter(run, known);
      if (fault !== undefined) faults.push(`step ${step}: ${fault}`);
    }
  } finally {
    stream.close();
    await run.own.cancelAllOrders();
    await run.other.cancelAllOrders();
  }
  return { steps: run.steps, losses, received: known.received, resumed: known.resumed, faults };
}

async function actOnce(run: ModelRun, stream: RialtoStream, random: Random): Promise<void> {
  const order = {
    marketCode: MARKET,
    side: random.pick(['BUY', 'SELL'] as const),
    orderType: 'LIMIT' as const,
    quantity: `0.000${random.between(1, 9)}`,
    price: String(random.between(59_990, 60_010)),
    timeInForce: random.pick(['GTC', 'GTC', 'GTC', 'IOC', 'MAKER_ONLY'] as const),
  };
  const kind = random.weighted({ own: 4, other: 4, cancel: 2, all: 0.1 });
  if (kind === 'other') await run.other.placeOrders({ orders: [order] });
  else if (kind === 'own') {
    if (random.chance(0.5)) await run.own.placeOrders({ orders: [order] });
    // Over the stream it may be lost in transit, and is sent again under its name.
    else await stream.command('placeorder', order);
  } else if (kind === 'all') await run.own.cancelAllOrders();
  else {
    const working = await run.own.workingOrders();
    if (working.length === 0) return;
    const { orderId } = random.pick(working);
    await run.own.cancelOrders({ orders: [{ marketCode: MARKET, orderId }] });
  }
}

/** Waits until everything equals REST; returns what still differs after a while. */
async function differenceAfter(run: ModelRun, known: Known): Promise<string | undefined> {
  const [depth, working, [account]] = await Promise.all([
    run.own.depth({ marketCode: MARKET, level: '400' }),
    run.own.workingOrders(),
    run.own.balances(),
  ]);
  const orders = working.map(({ orderId, price, remainQuantity }) => [
    orderId,
    price,
    remainQuantity,
  ]);
  const expected = JSON.stringify({
    asks: depth.asks,
    bids: depth.bids,
    orders: orders.sort(),
    balances: account?.balances
      .map(({ asset, total, reserved }) => [asset, total, reserved])
      .sort(),
  });
  const until = Date.now() + SETTLE_MS;
  for (;;) {
    const seen = known.text();
    if (seen === expected) return undefined;
    if (Date.now() > until) return `the stream has ${seen}, REST ${expected}`;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** What is known from messages. */
class Known {
  readonly book = new LocalBook();
  readonly #orders = new Map<string, readonly string[]>();
  readonly #balances = new Map<string, readonly string[]>();
  readonly #seqs = new Map<string, number>();
  received = 0;
  resumed = 0;

  /** No number is skipped except by a snapshot, and none comes twice. */
  count({ channel, seq, snapshot }: StreamMessage, faults: string[]): void {
    this.received++;
    const before = this.#seqs.get(channel);
    if (snapshot !== true && before !== undefined && seq !== before + 1) {
      faults.push(`${channel}: ${seq} after ${before}`);
    }
    if (snapshot !== true) this.resumed++;
    this.#seqs.set(channel, seq);
  }

  applyOrder({ snapshot, data }: StreamMessage): void {
    if (snapshot === true) this.#orders.clear();
    for (const order of (data ?? []) as Record<string, string>[]) {
      const { orderId = '', price = '', remainQuantity = '', status = '' } = order;
      const isOver = status === 'FILLED' || status.startsWith('CANCELED');
      if (isOver) this.#orders.delete(orderId);
      else this.#orders.set(orderId, [orderId, price, remainQuantity]);
    }
  }

  applyBalance({ snapshot, data }: StreamMessage): void {
    if (snapshot === true) this.#balances.clear();
    for (const balance of data as Record<string, string>[]) {
      const { instrumentId = '', total = '', reserved = '' } = balance;
      this.#balances.set(instrumentId, [instrumentId, total, reserved]);
    }
  }

  text(): string {
    return JSON.stringify({
      asks: this.book.asks,
      bids: this.book.bids,
      orders: [...this.#orders.values()].sort(),
      balances: [...this.#balances.values()].sort(),
    });
  }
}
