import type { NetworkStatus } from './network-worker.ts';

type Troubled = Pick<NetworkStatus, 'reason' | 'lostBelow' | 'shortage' | 'contradictions'>;

/** The others are in the log; this text is reported every second. */
const SHOWN_MAX = 5;

/**
 * What operators must know about a network; undefined if there is nothing. A contradiction may stand for a day
 * and does not hide what the network lacks now.
 */
export function troubleOf(status: Troubled): string | undefined {
  const { contradictions } = status;
  const more = contradictions.length - SHOWN_MAX;
  const words = [
    ...contradictions.slice(0, SHOWN_MAX),
    ...(more > 0 ? [`and ${more} more payments`] : []),
    ...hindrancesOf(status),
  ];
  return words.length === 0 ? undefined : words.join('; ');
}

function hindrancesOf({ reason, lostBelow, shortage }: Troubled): readonly string[] {
  if (lostBelow !== undefined) return [`reorganised below block ${lostBelow}`];
  if (reason !== undefined) return [reason];
  return shortage === undefined ? [] : [`withdrawals wait: ${shortage}`];
}
