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

/** The venue's own number behind an id; undefined if no record can have it. */
export function recordCounter(
  id: string,
  counterFromText: (text: string) => bigint | undefined,
): number | undefined {
  const counter = counterFromText(id);
  const isSafe = counter !== undefined && counter <= BigInt(Number.MAX_SAFE_INTEGER);
  return isSafe ? Number(counter) : undefined;
}
