import { decimalFromText } from '../domain/decimal.ts';
import { USD_SCALE, type UsdPrice, usdPrice } from '../domain/units.ts';
import type { Engine } from '../engine/engine.ts';
import type { Every } from '../engine/ticker.ts';
import type { PriceSource } from './price-source.ts';

export type IndexOptions = {
  readonly engine: Engine;
  readonly sources: readonly PriceSource[];
  readonly every: Every;
  readonly nowMs: () => number;
  /** Something a person should know: a source is silent, a round was not taken. */
  readonly onTrouble: (trouble: string) => void;
};

const PERIOD_MS = 1_000;
/** What a source said longer ago than this is not fresh. */
const FRESH_MS = 10_000;

type Heard = { readonly atMs: number; readonly prices: ReadonlyMap<string, string> };

/**
 * Index prices: once a second every source is asked, and the median of what the fresh ones say, at
 * least half of them, goes into the venue as one command. The venue itself holds back jumps and
 * notices when no round comes. A source that hangs delays nobody: its last word counts while fresh.
 */
export async function startIndexPrices(options: IndexOptions): Promise<{ stop(): void }> {
  const heard = new Map<string, Heard>();
  const asking = new Set<string>();
  const ask = async (source: PriceSource): Promise<void> => {
    if (asking.has(source.name)) return;
    asking.add(source.name);
    try {
      heard.set(source.name, { prices: await source.prices(), atMs: options.nowMs() });
    } catch (cause) {
      options.onTrouble(`${source.name} has no prices: ${(cause as Error).message}`);
    } finally {
      asking.delete(source.name);
    }
  };
  const round = async (): Promise<void> => {
    for (const source of options.sources) void ask(source);
    await submitMedians(options, heard);
  };
  await Promise.all(options.sources.map(ask));
  await submitMedians(options, heard);
  const stop = options.every(PERIOD_MS, () => {
    round().catch((cause: unknown) => options.onTrouble(String(cause)));
  });
  return { stop };
}

async function submitMedians(
  { engine, sources, nowMs, onTrouble }: IndexOptions,
  heard: ReadonlyMap<string, Heard>,
): Promise<void> {
  const fresh = [...heard.values()].filter(({ atMs }) => nowMs() - atMs <= FRESH_MS);
  const prices = engine.directory.assets().flatMap(({ code }) => {
    const price = medianOf(
      fresh.map((one) => one.prices.get(code)),
      sources.length,
    );
    return price === undefined ? [] : [{ asset: code, price }];
  });
  if (prices.length === 0) return;
  const { outcome } = await engine.submit({ kind: 'set-index-prices', prices });
  for (const event of outcome.events) if (event.kind === 'refused') onTrouble(event.message);
}

/** Undefined when fewer than half of the sources name a price. The mean of the middle two if even. */
export function medianOf(
  texts: readonly (string | undefined)[],
  sourceCount: number,
): UsdPrice | undefined {
  const prices = texts.flatMap((text) => {
    const price = text === undefined ? undefined : priceFromText(text);
    return price === undefined ? [] : [price];
  });
  if (prices.length === 0 || prices.length * 2 < sourceCount) return undefined;
  prices.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const middle = prices.length >> 1;
  const upper = prices[middle] as bigint;
  const lower = prices.length % 2 === 1 ? upper : (prices[middle - 1] as bigint);
  return usdPrice((lower + upper) / 2n);
}

/** Outside prices may have more digits than the venue keeps: they are cut, not refused. */
function priceFromText(text: string): bigint | undefined {
  const read = decimalFromText(text);
  if (read === undefined) return undefined;
  const { digits, scale } = read;
  const parts =
    scale <= USD_SCALE
      ? digits * 10n ** BigInt(USD_SCALE - scale)
      : digits / 10n ** BigInt(scale - USD_SCALE);
  return parts > 0n ? parts : undefined;
}
