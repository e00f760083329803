import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RialtoError } from '../../src/client/index.ts';
import { getTransfers } from '../../src/wire/transfers.ts';
import { searchOf, spanOf, viewOf } from '../../web/pages/history/address.ts';
import { KINDS, kindOf } from '../../web/pages/history/kinds.ts';
import { pagesOf } from '../../web/pages/history/pages.ts';
import { signedCurl } from '../../web/pages/keys/signed-curl.ts';
import { readHours } from '../../web/pages/portfolio/hours.ts';
import { boundsOf, bucketsOf, marksOf, RANGES, ticksOf } from '../../web/pages/portfolio/series.ts';
import { stepsOf } from '../../web/pages/wallet/progress-steps.ts';
import { gradeOf, ratioText } from '../../web/shared/margin-grade.ts';
import {
  fitting,
  grouped,
  plain,
  setSeparators,
  typedNumber,
  visible,
} from '../../web/shared/number-text.ts';
import { memberOf, refusedOf } from '../../web/shared/refused-members.ts';
import { sendSurely } from '../../web/shared/send-surely.ts';
import { columnsOf, sizeIn } from '../../web/trade/canvas.ts';
import { usdPrices } from '../../web/trade/prices.ts';
import { sizesOf, tapeRows } from '../../web/trade/tape/sizes.ts';

/** What the routes other than Trade compute without a browser. */

const NOW_MS = Date.parse('2026-11-15T12:34:56Z');
const DAY_MS = 86_400_000;
const refusal = (code: string, message: string): RialtoError =>
  new RialtoError(new Response(null, { status: 400 }), code, message);

test('a margin ratio warns from 40 on and is bad from 80 on, without collateral most of all', () => {
  const grades = ['0.0', '39.99', '40', '79.9', '80', '999999'].map(gradeOf);
  expect(grades).toEqual(['', '', 'warn', 'warn', 'bad', 'bad']);
  expect(ratioText('999999')).toBe('999,999.0');
  expect(ratioText(undefined)).toBe('—');
});

test('every separator can be typed again, and none can be read in two ways', () => {
  for (const style of ['space', 'apostrophe', 'comma'] as const) {
    setSeparators(style);
    expect(typedNumber(grouped('1234567.5'))).toBe('1234567.5');
  }
  expect(typedNumber("60'405.5")).toBe('60405.5');
  expect(typedNumber('60.405,5')).toBeUndefined();
  expect(typedNumber("60'40")).toBeUndefined();
});

test('a refusal belongs to the field it is about, with the nearest valid value', () => {
  const fields = ['quantity', 'address', 'code', 'first'];
  const low = refusedOf(refusal('35028', 'Too many decimal digits: ...; nearest 0.5'), fields);
  expect([low.field, low.nearest]).toEqual(['quantity', '0.5']);
  expect(refusedOf(refusal('25030', 'Invalid code'), fields).field).toBe('code');
  expect(refusedOf(refusal('25030', 'Invalid code: of the new factor'), fields).field).toBe(
    'first',
  );
  expect(refusedOf(refusal('20001', "Parameter is invalid: 'address'"), fields).field).toBe(
    'address',
  );
  expect(refusedOf(refusal('000201', 'The trade service is busy'), fields).field).toBeUndefined();
  expect(refusedOf(new TypeError('fetch failed'), fields).text).toContain('did not answer');
  // A saved address is refused at the box in which it was chosen: no address field is shown then.
  expect(memberOf('25010', 'The address is not whitelisted: 0xab', ['quantity', 'saved'])).toBe(
    'saved',
  );
  // A limit on an amount and one on a count have the same code and the same text.
  const over = (detail: string) => memberOf('35023', `Over the limit: ${detail}`, fields);
  expect(over('900 asked by index value in native, 5 of 10 left')).toBe('quantity');
  expect(over('20 withdrawals may be unfinished at a time')).toBeUndefined();
  const ip = 'Parameter is invalid: "1.2.3" is no IP address';
  expect(memberOf('20001', ip, ['label', 'addresses'])).toBe('addresses');
});

test('a withdrawal is shown as far as it is, with why it waits and how long', () => {
  const withdrawal = { requestedAt: '1', status: 'ON HOLD' };
  const held = {
    ...{
      id: '1',
      status: 'ON HOLD' as const,
      holds: ['new-address' as const],
      confirmationsNeeded: '12',
    },
    holdUntil: String(NOW_MS + 8_040_000),
  };
  expect(stepsOf(withdrawal, held, NOW_MS)[1]).toEqual({
    ...{ name: 'On hold', state: 'now', note: 'The address is new: 2 h 14 min left' },
  });
  const sent = { ...held, holds: [], confirmations: '3' };
  const names = (status: string) =>
    stepsOf({ ...withdrawal, status }, sent, NOW_MS).map(({ name, state }) => `${name} ${state}`);
  expect(names('PROCESSING')).toContain('Confirming 3 of 12 now');
  expect(names('COMPLETED').every((one) => one.endsWith('done'))).toBe(true);
  expect(names('CANCELED')).toEqual(['Requested done', 'Cancelled stopped']);
});

test('buckets add up to what the hours hold, and the last one is the present', () => {
  const hours = fc.array(
    fc.record({
      hourAtMs: fc.integer({ min: 0, max: 6 * 24 }).map((back) => NOW_MS - back * 3_600_000),
      collateral: fc.option(fc.integer({ min: 0, max: 1_000 }), { nil: undefined }),
      realized: fc.integer({ min: -50, max: 50 }),
      funding: fc.integer({ min: -5, max: 5 }),
    }),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(hours, hours, fc.constantFrom(...RANGES), (one, other, range) => {
      const accounts = [one, other].map((list) => ({ hours: list, collateralNow: 7 }));
      const buckets = bucketsOf(accounts, range, NOW_MS);
      expect(buckets.length).toBe(Math.round((range.days * DAY_MS) / range.stepMs));
      expect(buckets.at(-1)?.equity).toBe(14);
      expect(buckets.at(-1)?.isNoted).toBe(true);
      const from = buckets[0]?.atMs ?? 0;
      const meant = [...one, ...other].filter(({ hourAtMs }) => hourAtMs >= from);
      const sum = (list: readonly { readonly realized: number }[]): number =>
        list.reduce((total, { realized }) => total + realized, 0);
      expect(sum(buckets)).toBe(sum(meant));
    }),
  );
  expect(ticksOf(0, 10, 4)).toEqual([0, 2.5, 5, 7.5, 10]);
  // Days in buckets of several hours: each named day is named where it begins.
  const days = ['10', '10', '11', '11', '11', '12', '12', '12', '13'];
  expect(marksOf(days, 8)).toEqual([2, 5, 8]);
  expect(marksOf(days, 2)).toEqual([2, 8]);
  expect(marksOf([], 0)).toEqual([]);
  const flat = boundsOf([5, 5], false);
  expect(flat.low < 5 && flat.high > 5).toBe(true);
});

test('what History shows is in its address, and comes back from it', () => {
  const view = viewOf('?kind=trades&marketCode=BTC-USDT&period=days&from=2026-11-01', NOW_MS);
  expect(viewOf(searchOf(view), NOW_MS)).toEqual(view);
  expect(spanOf(view, NOW_MS)).toEqual({ fromMs: Date.parse('2026-11-01'), toMs: NOW_MS });
  // Parameters that do not fit the kind, and invalid days, are dropped.
  expect(searchOf(viewOf('?kind=liquidations&asset=BTC&from=never', NOW_MS))).toBe(
    '?kind=liquidations',
  );
});

test('a range longer than a week is read in windows, each page by page', async () => {
  const requests: { readonly startTime?: string; readonly beforeId?: string }[] = [];
  const client = {
    transfers: async (request: (typeof requests)[number]) => {
      requests.push(request);
      const isSecond = request.beforeId !== undefined;
      const count = requests.length === 1 ? 200 : isSecond ? 3 : 0;
      return Array.from({ length: count }, (_, at) => ({ id: String(1_000 - at) }));
    },
  };
  const span = { fromMs: NOW_MS - 10 * DAY_MS, toMs: NOW_MS };
  const sizes: number[] = [];
  for await (const rows of pagesOf(client as never, kindOf('transfers'), span, {})) {
    sizes.push(rows.length);
  }
  expect(sizes).toEqual([200, 3]);
  expect(requests.map(({ beforeId }) => beforeId)).toEqual([undefined, '801', undefined]);
  expect(requests.at(-1)?.startTime).toBe(String(span.fromMs));
});

test('one signed request is sent until its outcome is known, and no other', async () => {
  let sent = 0;
  const client = {
    prepare: async () => ({ bytes: 'the same' }),
    send: async () => {
      sent++;
      if (sent === 1) throw new TypeError('the connection was lost');
      return { data: 'done' };
    },
  };
  let waited = 0;
  const request = { asset: 'OX' };
  const call = { endpoint: getTransfers, request, onWaiting: () => waited++ };
  const clock = { nowMs: () => 0, wait: () => Promise.resolve() };
  const answer = await sendSurely(client as never, call, clock);
  expect([answer, sent, waited]).toEqual(['done', 2, 1]);
  const refusing = { ...client, send: () => Promise.reject(refusal('31001', 'too much')) };
  await expect(sendSurely(refusing as never, call, clock)).rejects.toThrow('too much');
});

test('dollars of an asset come from a perpetual, or over a spot market', () => {
  const market = (marketCode: string, base: string, counter: string, type: string) => ({
    ...{ marketCode, base, counter, type },
  });
  const list = [
    market('XRP-USDT', 'XRP', 'USDT', 'SPOT'),
    market('BTC-USDT', 'BTC', 'USDT', 'SPOT'),
    market('BTC-P', 'BTC', 'USD', 'FUTURE'),
  ];
  const tickers = {
    'BTC-P': { indexPrice: '60000' },
    'BTC-USDT': { indexPrice: '59940.06' },
    'XRP-USDT': { indexPrice: '0.5' },
  };
  const prices = usdPrices(list, tickers);
  expect(prices['USDT']).toBeCloseTo(1.001, 5);
  expect(prices['XRP']).toBeCloseTo(0.5005, 5);
});

test('the request to paste signs the host it is sent to', () => {
  const curl = signedCurl('https://x.example:8443', { accessKey: 'k', secret: 's' }, '/v3/account');
  expect(curl).toContain('GET\\nx.example:8443\\n/v3/account');
  expect(curl).toContain("curl -s 'https://x.example:8443/v3/account'");
});

test('histories show assets and networks by name, not as words', () => {
  const named = KINDS.flatMap(({ columns }) => columns).filter(({ name }) =>
    ['asset', 'feeAsset', 'network'].includes(name),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.map(({ cell }) => cell)).toEqual(named.map(() => 'name'));
});

test('large trades stand out once there are enough to tell; a filter leaves out the smaller ones', () => {
  const trade = (size: number) => ({
    ...{ id: String(size), side: 'BUY' as const, price: '1', quantity: String(size), atMs: 1 },
  });
  const few = [trade(1), trade(900)];
  const rowsOf = (tape: typeof few, filter: 'all' | 'half' | 'large', count = 200) =>
    tapeRows(tape, sizesOf(tape), { filter, count });
  expect(rowsOf(few, 'all').map(({ isLarge }) => isLarge)).toEqual([false, false]);
  expect(rowsOf(few, 'large')).toEqual([]);
  const many = Array.from({ length: 100 }, (_, at) => trade(at + 1));
  expect(sizesOf(many)).toEqual({ half: 51, large: 96 });
  expect(rowsOf(many, 'all').filter(({ isLarge }) => isLarge)).toHaveLength(5);
  expect(rowsOf(many, 'half')).toHaveLength(50);
  expect(rowsOf(many, 'large', 3).map(({ quantity }) => quantity)).toEqual(['96', '97', '98']);
});

test('the hours of a large family are read of every account, once', async () => {
  const subs = Array.from({ length: 23 }, (_, at) => `desk ${at}`);
  const asked: string[] = [];
  const accountHistory = async ({ subAcc = '', startTime = '' }) => {
    const names = subAcc === '' ? [] : subAcc.split(',');
    expect(names.length).toBeLessThanOrEqual(10);
    asked.push(subAcc);
    return ['main', ...names].map((name) => ({
      ...{ accountId: name, name },
      history: [{ hourAt: startTime, collateral: '5', realizedPnl: '1', funding: '0' }],
    }));
  };
  const nowMs = 30 * 86_400_000;
  const client = { accountHistory } as unknown as Parameters<typeof readHours>[0];
  // Nine days are two windows.
  const span = { fromMs: nowMs - 9 * 86_400_000, toMs: nowMs };
  const found = await readHours(client, subs, span);
  expect([...found.keys()].toSorted()).toEqual(['main', ...subs].toSorted());
  for (const [name, hours] of found) expect(hours, name).toHaveLength(2);
  expect(asked).toHaveLength(6);
  expect((await readHours(client, [], span)).get('main')).toHaveLength(2);
});

test('a small number is not shown as zero', () => {
  expect(visible('0.02345678', 1)).toBe('0.023');
  expect(visible('0.00006', 2, plain)).toBe('0.00006');
  expect(visible('-0.00000001', 1)).toBe('−0.00000001');
  expect(visible('1234.56', 1)).toBe('1,234.5');
  expect(visible('0', 1)).toBe('0.0');
  expect(visible(undefined, 1)).toBe('—');
});

test('a size is shortened to its column: cut, never rounded up, never to zero', () => {
  const within = (most: number) => (text: string) => text.length <= most;
  const rows: [string, number, string][] = [
    ['1234.56789012', 14, '1,234.56789012'],
    ['1234.56789012', 10, '1,234.5678'],
    ['987654321000', 14, '987.654B'],
    ['1999999999999', 6, '1.999T'],
    ['1234567.89', 7, '1.234M'],
    ['12345', 3, '12K'],
    ['0.00000001', 6, '0.00000001'],
  ];
  for (const [size, most, text] of rows) expect(fitting(size, within(most))).toBe(text);
});

test('figures of the book never lie upon each other', () => {
  const context = { measureText: (text: string) => ({ width: text.length * 7 }) };
  const size = fc.tuple(fc.integer({ min: 1, max: 999_999_999_999 }), fc.nat(8));
  fc.assert(
    fc.property(size, fc.constantFrom(220, 256, 280, 360), ([whole, decimals], width) => {
      const sheet = { context: context as CanvasRenderingContext2D, width };
      const { first, second, third } = columnsOf(width);
      const text = whole.toFixed(decimals);
      const price = { text: '0.00000004', left: first };
      expect(sizeIn(sheet, text, price).length * 7).toBeLessThan(second - first - 70);
      expect(sizeIn(sheet, text).length * 7).toBeLessThan(third - second);
    }),
    // Its commas make it too long.
    { examples: [[[10_000_000_000, 1], 360]] },
  );
});
