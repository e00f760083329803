import type { ReplyOf } from '../../src/client/index.ts';
import type { getLeverageTiers } from '../../src/wire/market-data.ts';
import { compare } from '../shared/number-text.ts';
import { useQuery } from '../shared/query.ts';
import { publicClient } from '../shared/session.ts';

export type Tier = ReplyOf<typeof getLeverageTiers>[number]['tiers'][number];
type Tiers = Readonly<Record<string, readonly Tier[]>>;

/** They change in halted markets only: requested once for all panels. */
let pending: Promise<Tiers> | undefined;

function readTiers(): Promise<Tiers> {
  pending ??= publicClient.leverageTiers({}).then(
    (rows) => Object.fromEntries(rows.map(({ marketCode, tiers }) => [marketCode, tiers])),
    (reason: unknown) => {
      pending = undefined;
      throw reason;
    },
  );
  return pending;
}

export const useTiers = (): Tiers => useQuery(readTiers, 'tiers').data ?? {};

/** The tier of a position of this value. */
export const tierOf = (tiers: readonly Tier[], value: string): Tier | undefined =>
  tiers.find(({ positionCap }) => compare(value, positionCap) <= 0) ?? tiers.at(-1);
