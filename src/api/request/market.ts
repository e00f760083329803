import { type Refusal, refuse } from '../../domain/rejections.ts';
import type { MarketIndex } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';

/** The market that a read or a cancel-all names, if it names one. */
export const marketFilter = (
  directory: Directory,
  marketCode: string | undefined,
): MarketIndex | Refusal | undefined =>
  marketCode === undefined ? undefined : namedMarket(directory, marketCode);

export const namedMarket = (directory: Directory, marketCode: string): MarketIndex | Refusal =>
  directory.marketByCode(marketCode) ??
  refuse('PARAMETER_INVALID', `marketCode is invalid, there is no ${marketCode}`);
