/** A channel that began anew after the stream was lost, and how many messages it missed, where the venue knows. */
export type Anew = { readonly channel: string; readonly missed: number | undefined };

/** Each message of these shows everything: what was missed of them is in the next. */
const SHOW_ALL = /^(ticker|market|account|candles\d+s):/;

/** For the list of messages, once after a resume; nothing where all that matters was sent again. */
export function caughtUpWords(
  anew: readonly Anew[],
): { readonly title: string; readonly text: string } | undefined {
  const told = anew.filter(({ channel }) => !SHOW_ALL.test(channel));
  // Nothing was missed where a channel was silent.
  const missing = told.filter(({ missed }) => missed !== 0);
  if (missing.length === 0) return undefined;
  const count = missing.reduce((sum, { missed = 0 }) => sum + missed, 0);
  const isKnown = missing.every(({ missed }) => missed !== undefined);
  const updates = `${count} ${count === 1 ? 'update' : 'updates'}`;
  const counted = isKnown ? updates : `more than ${updates}`;
  return {
    title: count === 0 ? 'Caught up' : `Caught up, ${counted}`,
    text: `Read anew, because the venue no longer had what was missed: ${missing
      .map(({ channel }) => channel)
      .join(', ')}`,
  };
}
