import type { RialtoClient } from '../../../src/client/index.ts';
import { namesInTurn } from '../parts/names-in-turn.ts';
import type { Hour } from './series.ts';

const WEEK_MS = 7 * 86_400_000;
const PER_WINDOW = '500';

/**
 * The recorded hours of the key's account and of the named ones, by account id. A request covers seven days
 * and ten names: a longer range and a larger family take several.
 */
export async function readHours(
  client: Pick<RialtoClient, 'accountHistory'>,
  names: readonly string[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Promise<ReadonlyMap<string, readonly Hour[]>> {
  const found = new Map<string, Hour[]>();
  for (let endMs = toMs; endMs > fromMs; endMs -= WEEK_MS) {
    const startTime = String(Math.max(fromMs, endMs - WEEK_MS + 1));
    // The key's own account is in every answer.
    const read = new Set<string>();
    for (const request of namesInTurn(names)) {
      const page = await client.accountHistory({
        ...{ startTime, endTime: String(endMs), limit: PER_WINDOW },
        ...request,
      });
      for (const { accountId, history } of page) {
        if (read.has(accountId)) continue;
        read.add(accountId);
        const hours = history.map((row) => ({
          hourAtMs: Number(row.hourAt),
          collateral: row.collateral === undefined ? undefined : Number(row.collateral),
          realized: Number(row.realizedPnl),
          funding: Number(row.funding),
        }));
        found.set(accountId, [...(found.get(accountId) ?? []), ...hours]);
      }
    }
  }
  return found;
}
