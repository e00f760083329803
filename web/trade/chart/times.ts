import { type TimeZone, timeText } from '../../shared/number-text.ts';

/** From this kind on, labels of the time axis are times of day; those before are days, months and years. */
const TIME_OF_DAY = 3;

/**
 * A label of the time axis; null leaves it to the chart, which uses UTC. The chart places its labels at UTC
 * days: in another time zone such a label has its time beside the day.
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

/** "UTC" if it is; users know their own time zone. */
export const zoneWord = (zone: TimeZone): string => (zone === 'utc' ? ' UTC' : '');
