import { expect, expectTypeOf, test } from 'vitest';
import { isRejectionCode, type RejectionCode, RialtoClient, type RialtoError } from './index.ts';

type Answer = () => Response;

const ok = (data: unknown = []): Answer => {
  return () => Response.json({ success: true, data });
};
const refused =
  (status: number, code: string, message = 'no', headers = {}): Answer =>
  () =>
    Response.json({ success: false, code, message }, { status, headers });
const lost: Answer = () => {
  throw new TypeError('fetch failed');
};
const UNKNOWN = refused(503, '000101', 'outcome unknown, send the same bytes again');
const MOVE = { asset: 'OX', quantity: '1.5', fromAccount: '30000', toAccount: '30001' };

/** A client of a venue that gives these responses in turn; waiting only advances its clock. */
function scene(answers: readonly Answer[], more: object = {}) {
  const sent: { readonly url: string; readonly headers: Headers; readonly body: unknown }[] = [];
  const waits: number[] = [];
  let nowMs = Date.UTC(2026, 10, 15);
  let nonces = 0;
  const client = new RialtoClient({
    baseUrl: 'http://localhost:8080',
    ...{ accessKey: 'key', secret: 'secret' },
    nowMs: () => nowMs,
    nonce: () => `n${++nonces}`,
    random: () => 1,
    wait: async (delayMs) => {
      waits.push(delayMs);
      nowMs += delayMs;
    },
    fetch: async (url, init) => {
      sent.push({ url: String(url), headers: new Headers(init?.headers), body: init?.body });
      return (answers[sent.length - 1] ?? lost)();
    },
    ...more,
  });
  const signatures = (): unknown[] => sent.map(({ headers }) => headers.get('signature'));
  return { client, sent, waits, signatures, nowMs: () => nowMs };
}
const thrownBy = (call: Promise<unknown>): Promise<unknown> => call.catch((error) => error);

test('a request without a response, or of unknown outcome, is sent again with the same signed bytes', async () => {
  const { client, sent, waits, signatures } = scene([lost, UNKNOWN, lost, ok(MOVE)]);
  expect(await client.transfer(MOVE)).toEqual(MOVE);
  expect(new Set(signatures()).size).toBe(1);
  expect(new Set(sent.map(({ headers }) => headers.get('nonce'))).size).toBe(1);
  expect(waits).toEqual([250, 500, 1_000]);
});

test('after a rate limit it waits as long as the venue says, and throws where that is too long', async () => {
  const limited = refused(429, '429', 'Rate limit reached', { 'Retry-After': '3' });
  const { client, waits, signatures } = scene([limited, ok()]);
  expect(await client.balances()).toEqual([]);
  expect([waits, new Set(signatures()).size]).toEqual([[3_000], 1]);
  const long = refused(429, '429', 'Rate limit reached', { 'Retry-After': '60' });
  const other = scene([long, ok()]);
  expect(await thrownBy(other.client.balances())).toMatchObject({ retryAfterMs: 60_000 });
  expect([other.waits, other.sent.length]).toEqual([[], 1]);
});

test('it gives up after the configured number of attempts, and immediately if retries are off', async () => {
  const { client, sent } = scene([lost, lost, lost], { retry: { times: 2 } });
  expect(await thrownBy(client.balances())).toBeInstanceOf(TypeError);
  expect(sent.length).toBe(3);
  const never = scene([lost, ok()], { retry: false });
  expect(await thrownBy(never.client.balances())).toBeInstanceOf(TypeError);
  expect(never.sent.length).toBe(1);
});

test('where no response ever came, the error says that the outcome is unknown; that of a query has none', async () => {
  const unknown = { name: 'TypeError', isOutcomeUnknown: true };
  expect(await thrownBy(scene([]).client.transfer(MOVE))).toMatchObject(unknown);
  expect(await thrownBy(scene([]).client.balances())).not.toHaveProperty('isOutcomeUnknown');
  const late = (): never => {
    throw new DOMException('too late', 'TimeoutError');
  };
  const timedOut = scene([late, late, late, late, late]);
  const tooLate = { name: 'TimeoutError', isOutcomeUnknown: true };
  expect(await thrownBy(timedOut.client.transfer(MOVE))).toMatchObject(tooLate);
  const longer = scene([], { retry: { times: 12 }, random: () => 0.5 });
  await thrownBy(longer.client.transfer(MOVE));
  const waitedMs = longer.waits.reduce((sum, ms) => sum + ms);
  expect(waitedMs).toBeGreaterThan(35_000);
});

test('no attempt begins when the venue may have forgotten the bytes', async () => {
  const { client, waits } = scene([], {
    retry: { times: 100, firstPauseMs: 10_000, longestPauseMs: 10_000 },
  });
  expect(await thrownBy(client.transfer(MOVE))).toBeInstanceOf(TypeError);
  expect(waits).toEqual([10_000, 10_000, 10_000, 10_000]);
});

test('clients that were refused together retry at different times', async () => {
  const { client, waits } = scene([lost, lost, ok()], { random: () => 0 });
  await client.balances();
  expect(waits).toEqual([125, 250]);
});

test('a refusal is final, and so is one that the venue remembers', async () => {
  const broke = refused(400, '35036');
  const { client, sent } = scene([broke, ok(MOVE)]);
  expect(await thrownBy(client.transfer(MOVE))).toMatchObject({ code: '35036' });
  expect(sent.length).toBe(1);
  const busy = refused(503, '000201', 'busy', { 'Idempotent-Replayed': 'true' });
  const remembered = scene([busy, ok(MOVE)]);
  expect(await thrownBy(remembered.client.transfer(MOVE))).toMatchObject({ code: '000201' });
  const noRoom = scene([refused(503, '000201'), ok(MOVE)]);
  expect(await noRoom.client.transfer(MOVE)).toEqual(MOVE);
});

test('an unsigned POST is not remembered by the venue, so it is repeated only when it was not begun', async () => {
  const account = { name: 'a', password: 'a long one to be sure' };
  const { client, sent } = scene([lost, ok({})]);
  expect(await thrownBy(client.signIn(account))).toBeInstanceOf(TypeError);
  expect(sent.length).toBe(1);
  const limited = scene([refused(429, '429'), ok({})]);
  expect(await limited.client.signIn(account)).toEqual({});
  const token = scene([lost], { sandboxToken: 't' });
  const paid = { accountId: '1', asset: 'OX', quantity: '1' };
  expect(await thrownBy(token.client.sandboxDeposit(paid))).toBeInstanceOf(TypeError);
  expect(token.sent[0]?.headers.get('authorization')).toBe('Bearer t');
  expect(token.sent.length).toBe(1);
});

test('refused for its Timestamp, it learns the venue clock and signs again by it, from then on', async () => {
  const late = refused(401, '20024');
  const venueMs = Date.UTC(2026, 10, 15) + 90_000;
  const time = ok({ timestamp: String(venueMs), iso: '' });
  const { client, sent } = scene([late, time, ok(MOVE), ok()]);
  expect(await client.transfer(MOVE)).toEqual(MOVE);
  await client.balances();
  expect(client.clockOffsetMs).toBe(90_000);
  expect(sent.map(({ headers }) => headers.get('timestamp'))).toEqual([
    '2026-11-15T00:00:00.000Z',
    null,
    '2026-11-15T00:01:30.000Z',
    '2026-11-15T00:01:30.000Z',
  ]);
  expect(sent[2]?.headers.get('nonce')).not.toBe(sent[0]?.headers.get('nonce'));
});

test('a 401 without a body is the clock only where the clocks differ', async () => {
  const empty: Answer = () => new Response('', { status: 401 });
  const at = (aheadMs: number) =>
    ok({ timestamp: String(Date.UTC(2026, 10, 15) + aheadMs), iso: '' });
  const apart = scene([empty, at(-120_000), ok()]);
  expect(await apart.client.balances()).toEqual([]);
  const alike = scene([empty, at(20), ok()]);
  expect(await thrownBy(alike.client.balances())).toMatchObject({ status: 401 });
});

test('it signs again once, not where it was turned off, and not when the venue clock cannot be read', async () => {
  const late = refused(401, '20024');
  const time = ok({ timestamp: '1', iso: '' });
  const twice = scene([late, time, late, time, ok()]);
  expect(await thrownBy(twice.client.balances())).toMatchObject({ code: '20024' });
  expect(twice.sent.length).toBe(3);
  const off = scene([late, time, ok()], { followClock: false });
  expect(await thrownBy(off.client.balances())).toMatchObject({ code: '20024' });
  const unread = scene([late, refused(400, '20001'), ok()]);
  expect(await thrownBy(unread.client.balances())).toMatchObject({ code: '20024' });
});

test('what may have taken effect is never signed again: it throws with the outcome unknown', async () => {
  const late = refused(401, '20024');
  const { client, sent } = scene([lost, late, ok({ timestamp: '1', iso: '' }), ok(MOVE)]);
  expect(await thrownBy(client.transfer(MOVE))).toMatchObject({
    ...{ code: '20024', isOutcomeUnknown: true },
  });
  expect(sent.length).toBe(2);
  // A refusal by the venue itself is certain: otherwise it would have repeated the response to the first
  // attempt.
  const broke = scene([lost, refused(400, '35036')]);
  expect(await thrownBy(broke.client.transfer(MOVE))).toMatchObject({ isOutcomeUnknown: false });
  // A read has no effect, so it is signed again.
  const read = scene([lost, late, ok({ timestamp: '1', iso: '' }), ok()]);
  expect(await read.client.balances()).toEqual([]);
});

test('codes of the catalogue are literal types', async () => {
  const { client } = scene([refused(400, '35036')]);
  const error = (await thrownBy(client.transfer(MOVE))) as RialtoError;
  expect([error.hasCode('710006', '35036'), error.hasCode('710006')]).toEqual([true, false]);
  expect([error.rejectionCode, isRejectionCode('502')]).toEqual(['35036', false]);
  expectTypeOf<'35036'>().toExtend<RejectionCode>();
  expectTypeOf(error.rejectionCode).toEqualTypeOf<RejectionCode | undefined>();
  // @ts-expect-error no such code
  expect(error.hasCode('35063')).toBe(false);
});
