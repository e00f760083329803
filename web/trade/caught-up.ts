/**
 * A channel that restarted with a snapshot after the stream was lost, and how many messages it missed, if the
 * venue knows.
 */
export type RestartedChannel = { readonly channel: string; readonly missed: number | undefined };

/** Every message of these channels shows everything: nothing that was missed matters. */
const SHOW_ALL = /^(ticker|market|account|candles\d+s):/;

/** For the message list, once after a resume; nothing if everything that matters was sent again. */
export function caughtUpWords(
  restarted: readonly RestartedChannel[],
): { readonly title: string; readonly text: string } | undefined {
  const relevant = restarted.filter(({ channel }) => !SHOW_ALL.test(channel));
  // A silent channel missed nothing.
  const missing = relevant.filter(({ missed }) => missed !== 0);
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
