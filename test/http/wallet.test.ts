import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientFor, refusalOf, startVenue, type Venue } from './venue.ts';

let venue: Venue;
beforeAll(async () => {
  venue = await startVenue();
});
afterAll(() => venue?.stop());

const DAY_MS = 86_400_000;
const move = { asset: 'USDT', fromAccount: 'main', toAccount: 'desk-a' };

test('a transfer is one entry on either side, seen at once, newest first', async () => {
  const rialto = clientFor(venue);
  await rialto.transfer({ ...move, quantity: '1.25' });
  await rialto.transfer({ ...move, quantity: '2' });
  const [main, desk] = await rialto.wallet({ subAcc: 'desk-a', type: 'INTERNAL' });
  expect(main?.walletHistory.map(({ amount }) => amount)).toEqual(['-2', '-1.25']);
  expect(desk?.walletHistory.map(({ amount }) => amount)).toEqual(['2', '1.25']);
  for (const entry of [...(main?.walletHistory ?? []), ...(desk?.walletHistory ?? [])]) {
    expect(entry).toMatchObject({ asset: 'USDT', type: 'INTERNAL' });
    expect(entry.id).toMatch(/^97\d{16}$/);
    expect(entry['createdAt/lastUpdatedAt']).toBe(entry.createdAt);
  }
});

test('the first money of a demo account is in its wallet', async () => {
  const [desk] = await clientFor(venue, 'desk-b').wallet();
  expect(desk?.name).toBe('desk-b');
  const sums = Object.fromEntries(
    (desk?.walletHistory ?? []).map(({ asset, amount }) => [asset, amount]),
  );
  expect(sums).toEqual({ USDT: '100000', BTC: '10', OX: '10000000' });
});

test('a type nobody has entries of, or that does not exist, gives an empty list', async () => {
  const rialto = clientFor(venue);
  for (const type of ['FUNDING', 'PRIZE', 'internal']) {
    const rows = await rialto.wallet({ type: type as 'FUNDING', subAcc: 'desk-a' });
    expect(rows.map(({ walletHistory }) => walletHistory)).toEqual([[], []]);
  }
});

test('limit and beforeId walk through a history, even inside one millisecond', async () => {
  const rialto = clientFor(venue);
  const all = (await rialto.wallet())[0]?.walletHistory ?? [];
  const walked: string[] = [];
  let beforeId: string | undefined;
  for (let step = 0; step <= all.length; step++) {
    const ask = { limit: '2', ...(beforeId === undefined ? {} : { beforeId }) };
    const page = (await rialto.wallet(ask))[0]?.walletHistory ?? [];
    if (page.length === 0) break;
    walked.push(...page.map(({ id }) => id));
    beforeId = page.at(-1)?.id;
  }
  expect(walked).toEqual(all.map(({ id }) => id));
});

test('both ends of the window are inclusive', async () => {
  const rialto = clientFor(venue);
  const [newest] = (await rialto.wallet({ limit: '1' }))[0]?.walletHistory ?? [];
  const at = Number(newest?.createdAt);
  const ids = async (startMs: number, endMs: number): Promise<string[]> => {
    const ask = { startTime: String(startMs), endTime: String(endMs) };
    return ((await rialto.wallet(ask))[0]?.walletHistory ?? []).map(({ id }) => id);
  };
  expect(await ids(at, at)).toContain(newest?.id);
  expect(await ids(at + 1, at + 1_000)).not.toContain(newest?.id);
  expect(await ids(at - 1_000, at - 1)).not.toContain(newest?.id);
});

test('the rules of the window', async () => {
  const rialto = clientFor(venue);
  const now = Date.now();
  const week = 7 * DAY_MS;
  const allowed = [
    { startTime: String(now - week), endTime: String(now) },
    { startTime: String(now), endTime: String(now + week) },
    { startTime: String(now - 30 * DAY_MS) },
    { endTime: String(now - 30 * DAY_MS) },
    { limit: '100000' },
  ];
  for (const ask of allowed) expect(await rialto.wallet(ask)).toHaveLength(1);
  const refused = [
    { startTime: String(now - week - 1), endTime: String(now) },
    { startTime: String(now), endTime: String(now - 1) },
    { startTime: 'yesterday' },
    { endTime: '-1' },
    { limit: '0' },
    { limit: 'many' },
    { limit: '1.5' },
    { beforeId: 'x' },
  ];
  for (const ask of refused) {
    const refusal = await refusalOf(rialto.wallet(ask));
    expect(refusal, JSON.stringify(ask)).toMatchObject({ status: 400, code: '20001' });
  }
});
