import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Act } from '../../web/console/audit-feed.tsx';
import { placeOf } from '../../web/console/routes.ts';
import { saveActs } from '../../web/console/save-acts.ts';
import {
  ageText,
  amountText,
  basisPoints,
  bytesText,
  coveredText,
  didText,
  logHeight,
  nativeShort,
  reversalText,
  shortened,
  standingText,
  subjectPath,
  subjectText,
  sumText,
} from '../../web/console/text.ts';

test('an age has two units at the most, and is never negative', () => {
  const rows: [number, string][] = [
    [-5, '0 s'],
    [999, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [3_599_999, '59 min'],
    [8_040_000, '2 h 14 min'],
    [90_000_000, '1 d 1 h'],
  ];
  for (const [ms, text] of rows) expect(ageText(ms)).toBe(text);
});

test('covered is cut: what is short by the smallest part is below 100 %', () => {
  expect(coveredText('100', '100')).toBe('100.00 %');
  expect(coveredText('99.99999999', '100')).toBe('99.99 %');
  expect(coveredText('1', '0')).toBe('—');
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 30n), (whole) => {
      expect(coveredText(String(whole - 1n), String(whole))).not.toBe('100.00 %');
    }),
  );
});

test('figures are short and exact', () => {
  expect(basisPoints('60030', '60000')).toBe('+5.0');
  expect(basisPoints('59970', '60000')).toBe('−5.0');
  expect(basisPoints('1', '0')).toBe('—');
  expect(nativeShort('9999999.99')).toBe('9,999,999');
  expect(nativeShort('52036290057.55')).toBe('52,036.29 M');
  expect(nativeShort('-10000000')).toBe('−10.00 M');
  expect(nativeShort(undefined)).toBe('—');
  expect(amountText('25239899232.8154')).toBe('25,239,899,232');
  expect(amountText('0.12345678')).toBe('0.123456');
  expect(sumText(['0.1', '0.22', '3'])).toBe('3.32');
  expect(sumText([])).toBe('0');
  expect(bytesText('999')).toBe('999 B');
  expect(bytesText('29700000000')).toBe('29.7 GB');
  expect(shortened('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')).toBe('0x5aAe…eAed');
  expect(shortened('short')).toBe('short');
});

test('the height of a bar grows with its count; one account is seen beside a million', () => {
  expect(logHeight(0, 1_000_000)).toBe(0);
  expect(logHeight(1, 1_000_000)).toBeGreaterThan(0.04);
  expect(logHeight(1_000_000, 1_000_000)).toBe(1);
  expect(logHeight(1, 1)).toBeLessThan(0.5);
});

test('the subject of an act in the audit log links to its case by its public id', () => {
  expect(subjectText('withdrawal 12')).toBe('withdrawal 980000000000000012');
  expect(subjectPath('withdrawal 12')).toBe('/console/withdrawals/980000000000000012');
  expect(subjectPath('deposit 3')).toBe('/console/deposits/985000000000000003');
  expect(subjectPath('BTC-USDT')).toBeUndefined();
  expect(subjectText('withdrawal x')).toBe('withdrawal x');
});

test('a reversal says whether it takes the money, or waits for a second operator', () => {
  expect(reversalText([])).toContain('when a second operator');
  expect(reversalText(['operator:ann'])).toContain('at once: ann has');
});

test('a moment in the audit log is a time, other figures stay', () => {
  expect(standingText('invited until 1795276341235')).toBe('invited until 2026-11-21 15:52:21');
  expect(standingText('1795276341235 until 7')).toBe('1795276341235 until 7');
});

test('an address is a route, a subject and a query', () => {
  expect(placeOf('/console')).toMatchObject({ route: '/console', subject: '' });
  expect(placeOf('/console/')).toMatchObject({ route: '/console', subject: '' });
  const { route, subject, query } = placeOf('/console/withdrawals/98?account=30014');
  expect([route, subject, query.get('account')]).toEqual(['/console/withdrawals', '98', '30014']);
  expect(placeOf('/console/accounts/%zz').subject).toBe('%zz');
});

test('what an operator tried and was refused does not look done', () => {
  const act = 'set-market-state';
  expect(didText({ act, refused: false })).toBe('set the state of');
  expect(didText({ act: 'POST /operator/v1/markets/halt', refused: true })).toBe(
    'was refused: POST /operator/v1/markets/halt',
  );
});

test('the file of acts has all of them, however many there are', async () => {
  const ALL = 101_500;
  const actAt = (sequence: number): Act => ({
    ...{ sequence: String(sequence), time: '1700000000000', actor: 'operator:a', act: 'x' },
    ...{
      subject: 'market/M',
      before: '',
      after: '',
      refused: false,
      reason: sequence % 2 === 0 ? 'even' : 'odd',
    },
  });
  const read = async ({
    beforeSequence = String(ALL + 1),
    limit,
  }: {
    beforeSequence?: string;
    limit?: string;
  }) => {
    const newest = Number(beforeSequence) - 1;
    return Array.from({ length: Math.min(Number(limit), newest) }, (_, at) => actAt(newest - at));
  };
  const save = async (fits: (act: Act) => boolean): Promise<string[]> => {
    let text = '';
    let isClosed = false;
    const write = async (part: string): Promise<void> => {
      text += part;
    };
    const close = async (): Promise<void> => {
      isClosed = true;
    };
    const counts: number[] = [];
    const file = { write, close };
    const count = await saveActs(read, { filter: {}, fits, file }, (rows) => counts.push(rows));
    expect([count, isClosed, counts.length]).toEqual([counts.at(-1), true, 102]);
    return text.trimEnd().split('\r\n');
  };
  const lines = await save(() => true);
  expect(lines).toHaveLength(ALL + 1);
  expect(lines[0]).toBe('sequence,timeAt,actor,act,subject,before,after,reason,refused');
  expect(lines[1]).toMatch(/^101500,2023-11-14T22:13:20.000Z,operator:a,x,/);
  expect(lines.at(-1)).toMatch(/^1,/);
  expect(await save(({ reason }) => reason === 'odd')).toHaveLength(ALL / 2 + 1);
});
