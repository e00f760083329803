import { CLUSTER_HOST, type LocalCluster, type LocalNode } from '../../scripts/local-cluster.ts';
import { REJECTIONS } from '../../src/domain/rejections.ts';
import { getBalances } from '../../src/wire/account.ts';
import { requestTransfer } from '../../src/wire/transfers.ts';
import { accountOf, keyOf, type RawAnswer, rawCall, type Venue } from '../http/venue.ts';

const WORKERS = 8;
/** A signed request is refused when its timestamp is a minute old. */
const SIGNED_MS = 50_000;
const pause = (delayMs: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, delayMs);
  });

/**
 * Signed transfers through all gateways, each sent with the same bytes until it is answered, and reads
 * through the others.
 */
export type Load = {
  readonly answered: ReadonlySet<string>;
  readonly faults: readonly string[];
  counts(): { readonly answered: number; readonly repeated: number; readonly reads: number };
  /** Resolves after this many more answers. */
  moreAnswers(count: number): Promise<void>;
  restartGap(): void;
  longestGapMs(): number;
  stop(): Promise<void>;
};

export async function startLoad({ gateways, handout }: LocalCluster): Promise<Load> {
  const venue = { handout } as Venue;
  const key = keyOf(accountOf(venue, 'main'), 'read', 'trade', 'withdraw');
  const accounts = {
    fromAccount: accountOf(venue, 'main').accountId,
    toAccount: accountOf(venue, 'desk-a').accountId,
  };
  const answered = new Set<string>();
  const faults: string[] = [];
  let isStopped = false;
  let sent = 0;
  let repeated = 0;
  let reads = 0;
  let sum = 0n;
  let lastMs = performance.now();
  let gapMs = 0;
  const balance = async (gateway: LocalNode): Promise<bigint | undefined> => {
    const request = {
      ...{ key, path: getBalances.path, query: 'asset=USDT' },
      ...{ signedHost: CLUSTER_HOST, nonce: String(++sent) },
    };
    const answer = await answerOf(gateway, request);
    if (answer?.status !== 200) return undefined;
    // What has left the main account.
    return -partsOf(answer.data[0]?.balances[0]?.available ?? '0');
  };
  const before = (await balance(gateways[0] as LocalNode)) ?? 0n;
  /** Reads through a gateway that has not necessarily answered anything. */
  const read = async (gateway: LocalNode): Promise<void> => {
    const least = sum;
    const seen = await balance(gateway);
    if (seen === undefined) return;
    reads++;
    if (seen - before < least) faults.push(`${gateway.name} shows ${seen - before} of ${least}`);
  };
  const one = async (worker: number): Promise<void> => {
    let guess = worker;
    const number = ++sent;
    const quantity = `0.${String(number).padStart(8, '0')}`;
    const call = {
      key,
      method: 'POST',
      path: requestTransfer.path,
      body: JSON.stringify({ asset: 'USDT', quantity, ...accounts }),
      signedHost: CLUSTER_HOST,
      timestamp: new Date().toISOString(),
      nonce: String(number),
    };
    const untilMs = performance.now() + SIGNED_MS;
    while (performance.now() < untilMs) {
      const gateway = gateways[guess % gateways.length] as LocalNode;
      const answer = await answerOf(gateway, call);
      // From a gateway that began with a later snapshot: the request was executed, but its answer is
      // elsewhere.
      const isTaken = answer?.code === REJECTIONS.ANSWERED_BEFORE.code;
      if (answer !== undefined && (answer.status === 200 || isTaken)) {
        const nowMs = performance.now();
        gapMs = Math.max(gapMs, nowMs - lastMs);
        lastMs = nowMs;
        if (answer.headers.get('Idempotent-Replayed') === 'true') repeated++;
        answered.add(quantity);
        sum += partsOf(quantity);
        if (number % 4 === 0) await read(gateways[(guess + 1) % gateways.length] as LocalNode);
        return;
      }
      if (answer !== undefined && answer.status !== 503 && answer.status !== 500) {
        faults.push(`${quantity}: ${answer.status} ${answer.code} ${answer.message}`);
        return;
      }
      guess++;
      await pause(25);
    }
    faults.push(`${quantity} was never answered`);
  };
  const workers = Array.from({ length: WORKERS }, async (_, worker) => {
    while (!isStopped) await one(worker);
  });
  return {
    answered,
    faults,
    counts: () => ({ answered: answered.size, repeated, reads }),
    moreAnswers: (count) => {
      const wanted = answered.size + count;
      return until(() => answered.size >= wanted || faults.length > 0);
    },
    restartGap: () => {
      gapMs = 0;
    },
    longestGapMs: () => Math.round(gapMs),
    stop: async () => {
      isStopped = true;
      await Promise.all(workers);
    },
  };
}

async function answerOf(
  gateway: LocalNode,
  call: Parameters<typeof rawCall>[1],
): Promise<RawAnswer | undefined> {
  // Longer than a gateway waits for a leader. A paused one keeps its sockets open and does not answer.
  const late = pause(14_000).then(() => undefined);
  const answer = rawCall({ baseUrl: gateway.url } as Venue, call).catch(() => undefined);
  return Promise.race([answer, late]);
}

/** In parts of 10^-8. */
function partsOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole) * 100_000_000n + BigInt(fraction.padEnd(8, '0'));
}

export async function until(isDone: () => boolean, mostMs = 60_000): Promise<void> {
  for (let waitedMs = 0; waitedMs < mostMs && !isDone(); waitedMs += 50) await pause(50);
}
