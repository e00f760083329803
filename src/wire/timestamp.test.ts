import fc from 'fast-check';
import { expect, test } from 'vitest';
import { timestampMs, timestampText } from './timestamp.ts';

const AT = Date.UTC(2025, 2, 4, 5, 6, 7);

test('every form that clients send is read as UTC', () => {
  const forms: [string, number][] = [
    ['2025-03-04T05:06:07', AT],
    ['2025-03-04T05:06:07Z', AT],
    ['2025-03-04T05:06:07.123Z', AT + 123],
    ['2025-03-04T05:06:07.123456', AT + 123],
    ['2025-03-04T05:06:07.123456+00:00', AT + 123],
    ['2025-03-04T05:06:07.123456-00:00', AT + 123],
    ['2025-03-04T05:06:07.5', AT + 500],
    ['2024-02-29T23:59:59.999999999Z', Date.UTC(2024, 1, 29, 23, 59, 59, 999)],
  ];
  for (const [text, timeMs] of forms) expect(timestampMs(text), text).toBe(timeMs);
});

test('what is no such time is refused', () => {
  const wrong = [
    '',
    'now',
    '1741064767123',
    '2025-03-04',
    '2025-03-04 05:06:07',
    '2025-03-04T05:06:07+01:00',
    '2025-03-04T05:06:07z',
    '2025-02-30T00:00:00',
    '2025-02-29T00:00:00',
    '2025-13-01T00:00:00',
    '2025-00-01T00:00:00',
    '2025-01-00T00:00:00',
    '2025-03-04T24:00:00',
    '2025-03-04T05:60:07',
    '2025-03-04T05:06:60',
    '0099-03-04T05:06:07',
    '2025-03-04T05:06:07.',
    '2025-03-04T05:06:07\n',
    ' 2025-03-04T05:06:07',
  ];
  for (const text of wrong) expect(timestampMs(text), JSON.stringify(text)).toBeUndefined();
});

test('what this venue writes it reads', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), (timeMs) => {
      expect(timestampMs(timestampText(timeMs))).toBe(timeMs);
    }),
  );
});
