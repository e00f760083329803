/** The venue's clock less ours: requests are signed with its time. */
let offsetMs = 0;

export const venueNowMs = (): number => Date.now() + offsetMs;

/** What the venue said its time was, to a question that was asked at `askedMs` of our clock. */
export function noteVenueTime(venueMs: number, askedMs: number): void {
  const found = venueMs - (askedMs + Date.now()) / 2;
  // Small differences are the way there and back.
  offsetMs = Math.abs(found) > 2_000 ? found : 0;
}

/** For so long the venue answers in one piece; by itself it gives a day. */
export const WINDOW_MAX_MS = 7 * 86_400_000;

/** The earliest time that may be asked for together with now. */
export const windowStart = (): string => String(Math.floor(venueNowMs()) - WINDOW_MAX_MS);
