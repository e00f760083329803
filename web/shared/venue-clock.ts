/** The venue's clock minus ours: requests are signed with its time. */
let offsetMs = 0;

export const venueNowMs = (): number => venueTimeOf(Date.now());

/** A moment of our clock in the venue's time, as it is shown. */
export const venueTimeOf = (ownMs: number): number => ownMs + offsetMs;

let reading: Promise<unknown> = Promise.resolve();

/** What depends on the venue's time waits for the first reading of it; without an answer our clock counts. */
export const venueClockRead = (): Promise<unknown> => reading;
export function noteReading(first: Promise<unknown>): void {
  reading = first.catch(() => undefined);
}

/** The venue's time in an answer to a request sent at `sentMs` of our clock. */
export function noteVenueTime(venueMs: number, sentMs: number): void {
  const found = venueMs - (sentMs + Date.now()) / 2;
  // Small differences are network latency.
  offsetMs = Math.abs(found) > 2_000 ? found : 0;
}

/** The longest range that the venue answers at once; its default is a day. */
export const WINDOW_MAX_MS = 7 * 86_400_000;

/** The earliest time that may be requested together with now. */
export const windowStart = (): string => String(Math.floor(venueNowMs()) - WINDOW_MAX_MS);
