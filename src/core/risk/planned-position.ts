import { shareUp } from '../../domain/decimal.ts';
import { tickLotsInParts } from '../../domain/market.ts';
import { numberAt, partsAt } from '../memory/columns.ts';
import { NO_STANDING } from '../memory/standings.ts';
import type { Market, State } from '../state.ts';

/**
 * What planned matches would realise of a position, one by one and rounded as `fillStanding` does. It moves
 * native at once, so a margin test has to know it: a loss may become debt, a gain may pay one.
 */
export class PlannedPosition {
  realised = 0n;
  readonly #perTickLot: bigint;
  #lots = 0;
  #cost = 0n;

  constructor({ standings }: State, market: Market, standing: number) {
    this.#perTickLot = market.perTickLot;
    if (standing === NO_STANDING) return;
    this.#lots = numberAt(standings.lots, standing);
    this.#cost = partsAt(standings.cost, standing);
  }

  /** Whether lots of this sign would close some of it. */
  isClosedBy(sign: number): boolean {
    return this.#lots * sign < 0;
  }

  /** Only what closes the position matters: after it nothing more is realised. */
  fill(signedLots: number, priceTicks: number): void {
    if (!this.isClosedBy(signedLots)) return;
    const held = Math.abs(this.#lots);
    const closed = Math.min(Math.abs(signedLots), held);
    const closing = signedLots > 0 ? closed : -closed;
    const share = shareUp(this.#cost, closed, held);
    this.realised += tickLotsInParts(this.#perTickLot, priceTicks, -closing) - share;
    this.#cost -= share;
    this.#lots += closing;
  }
}
