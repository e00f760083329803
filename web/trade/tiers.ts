import type { ReplyOf } from '../../src/client/index.ts';
import type { getLeverageTiers } from '../../src/wire/market-data.ts';
import { useAsk } from '../shared/ask.ts';
import { compare } from '../shared/number-text.ts';
import { publicClient } from '../shared/session.ts';

export type Tier = ReplyOf<typeof getLeverageTiers>[number]['tiers'][number];
type Tiers = Readonly<Record<string, readonly Tier[]>>;

/** They change in halted markets only: requested once for all panels. */
let asked: Promise<Tiers> | undefined;

function readTiers(): Promise<Tiers> {
  asked ??= publicClient.leverageTiers({}).then(
    (rows) => Object.fromEntries(rows.map(({ marketCode, tiers }) => [marketCode, tiers])),
    (reason: unknown) => {
      asked = undefined;
      throw reason;
    },
  );
  return asked;
}

export const useTiers = (): Tiers => useAsk(readTiers, 'tiers').data ?? {};

/** The tier of a position of this value. */
export const tierOf = (tiers: readonly Tier[], value: string): Tier | undefined =>
  tiers.find(({ positionCap }) => compare(value, positionCap) <= 0) ?? tiers.at(-1);
