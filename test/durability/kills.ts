import { spawnSync } from 'node:child_process';
import { freePort } from '../../scripts/free-ports.ts';
import { PROGRAM } from '../../scripts/started-program.ts';
import { type Prepared, type RialtoClient, RialtoError } from '../../src/client/index.ts';
import { getTransfers, requestTransfer } from '../../src/wire/transfers.ts';
import { accountOf, clientFor, startVenue, type Venue } from '../http/venue.ts';

/** The result of the kills. */
export type KillReport = {
  readonly kills: number;
  readonly answered: number;
  readonly repeatedAfterRestart: number;
  readonly faults: readonly string[];
};

/**
 * A stream of transfers during which the venue is killed repeatedly. Every transfer has a unique amount, so
 * that history shows which took effect, and how often.
 */
export async function runKills(kills: number, random: () => number): Promise<KillReport> {
  const port = await freePort();
  let venue = await startVenue({ port });
  const { data } = venue;
  const faults: string[] = [];
  const answered = new Set<string>();
  let sent = 0;
  let repeatedAfterRestart = 0;
  for (let kill = 0; kill < kills; kill++) {
    const requests = await streamUntilKilled(venue, sent, answered, 15 + random() * 200);
    sent += requests.length;
    venue = await startVenue({ port, data, args: argsOf(kill) });
    repeatedAfterRestart += await repeat(venue, requests.slice(-20), answered, faults);
    await check(venue, answered, faults);
  }
  await venue.stop();
  const verified = verify(data);
  if (!verified.trimEnd().endsWith('balanced')) faults.push(`verify says: ${verified}`);
  return { kills, answered: answered.size, repeatedAfterRestart, faults };
}

/** Every other venue answers from a gateway thread. */
export const argsOf = (kill: number): readonly string[] =>
  kill % 2 === 0 ? ['--gateways', '1'] : [];

/** The unique amount of the n-th transfer. */
const quantityOf = (n: number): string => `0.${String(n + 1).padStart(8, '0')}`;

async function streamUntilKilled(
  venue: Venue,
  from: number,
  answered: Set<string>,
  afterAnswers: number,
): Promise<Prepared[]> {
  const client = clientFor(venue);
  const requests: Prepared[] = [];
  const untilAnswers = answered.size + afterAnswers;
  const enough = Promise.withResolvers<void>();
  let isDown = false;
  const worker = async (): Promise<void> => {
    while (!isDown) {
      const quantity = quantityOf(from + requests.length);
      const place = requests.length;
      requests.push(undefined as unknown as Prepared);
      const request = await prepare(venue, client, quantity);
      requests[place] = request;
      await client.send(request).then(
        () => {
          answered.add(quantity);
          // Counted in answers, not in time: a busy machine answers later, not less.
          if (answered.size >= untilAnswers) enough.resolve();
        },
        () => undefined, // The venue is gone, or going: the outcome is unknown to us.
      );
    }
  };
  const workers = Array.from({ length: 8 }, worker);
  await enough.promise;
  await venue.kill();
  isDown = true;
  await Promise.all(workers);
  return requests;
}

const prepare = (venue: Venue, client: RialtoClient, quantity: string): Promise<Prepared> =>
  client.prepare(requestTransfer, {
    asset: 'USDT',
    quantity,
    fromAccount: accountOf(venue, 'main').accountId,
    toAccount: accountOf(venue, 'desk-a').accountId,
  }) as Promise<Prepared>;

/** Sends the same bytes again: what had taken effect gets the same answer, the rest takes effect now. */
async function repeat(
  venue: Venue,
  requests: readonly Prepared[],
  answered: Set<string>,
  faults: string[],
): Promise<number> {
  const client = clientFor(venue);
  let repeated = 0;
  for (const request of requests) {
    const { quantity } = JSON.parse(request.body ?? '{}') as { quantity: string };
    const wasAnswered = answered.has(quantity);
    const { isRepeat, data } = await client.send(request);
    if (wasAnswered && !isRepeat) faults.push(`${quantity} was answered, then took effect again`);
    if ((data as { quantity: string }).quantity !== trimmed(quantity))
      faults.push(`${quantity} got another's`);
    if (isRepeat) repeated++;
    answered.add(quantity);
  }
  return repeated;
}

/** Every answered transfer is there, none twice. */
async function check(venue: Venue, answered: Set<string>, faults: string[]): Promise<void> {
  const client = clientFor(venue);
  const seen = new Map<string, number>();
  let beforeId: string | undefined;
  for (;;) {
    const from = beforeId === undefined ? {} : { beforeId };
    const page = await withRetry(() => client.call(getTransfers, { limit: '200', ...from }));
    for (const { quantity } of page) seen.set(quantity, (seen.get(quantity) ?? 0) + 1);
    if (page.length < 200) break;
    beforeId = page.at(-1)?.id;
  }
  for (const quantity of answered)
    if (!seen.has(trimmed(quantity))) faults.push(`${quantity} is lost`);
  for (const [quantity, times] of seen)
    if (times > 1) faults.push(`${quantity} is there ${times} x`);
}

const trimmed = (quantity: string): string => quantity.replace(/0+$/, '');

export function verify(data: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'verify', '--data', data], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}

/** Right after a restart history may be more than two seconds behind, and refuses: ask again. */
export async function withRetry<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask();
    } catch (cause) {
      if (tries === 20 || !(cause instanceof RialtoError) || cause.status !== 503) throw cause;
    }
  }
}

/** A small seeded generator, so that a failing run can be repeated. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
