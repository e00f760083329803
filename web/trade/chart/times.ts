import { type TimeZone, timeText } from '../../shared/number-text.ts';

/** Marks of the time axis from this kind on are times of a day; those before are days, months and years. */
const TIME_OF_DAY = 3;

/**
 * A mark of the time axis; null leaves it to the chart, which writes UTC. The chart puts its marks on the days of UTC: where
 * another clock is read, such a mark has its time beside the day.
 */
export function markText(
  ms: number,
  of: { readonly kind: number; readonly zone: TimeZone; readonly isDaily: boolean },
): string | null {
  if (of.zone === 'utc' || of.isDaily) return null;
  const text = timeText(ms, of.zone);
  const clock = text.slice(11, 16);
  if (of.kind >= TIME_OF_DAY) return clock;
  const day = String(Number(text.slice(8, 10)));
  return clock === '00:00' ? day : `${day} ${clock}`;
}

/** "UTC" where it is; a reader knows their own clock. */
export const zoneWord = (zone: TimeZone): string => (zone === 'utc' ? ' UTC' : '');
