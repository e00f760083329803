import { isRefusal, type Refusal } from '../../domain/rejections.ts';
import type { Engine } from '../../engine/engine.ts';
import type { WalletRecordQuery } from '../../history/history.ts';
import type { Limits } from '../../wire/endpoint.ts';
import { pageOf } from '../../wire/scalars.ts';

type RecordPage = Pick<WalletRecordQuery, 'fromMs' | 'toMs' | 'limit' | 'beforeId'>;

/** A page of deposits or withdrawals, whose ids count the venue's records. */
export function recordPage(
  engine: Engine,
  sent: Parameters<typeof pageOf>[0],
  limits: Limits | undefined,
  counterFromText: (text: string) => bigint | undefined,
): RecordPage | Refusal {
  const page = pageOf(sent, limits, engine.nowMs(), counterFromText);
  if (isRefusal(page)) return page;
  const { beforeId, ...window } = page;
  return beforeId === undefined ? window : { ...window, beforeId: Number(beforeId) };
}

/** The number behind an id; undefined if no record of the venue can have it. */
export const recordCounter = (counter: bigint | undefined): number | undefined =>
  counter === undefined || counter > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(counter);
