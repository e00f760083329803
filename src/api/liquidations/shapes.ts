import { unreachable } from '../../domain/assert.ts';
import { textFromParts } from '../../domain/decimal.ts';
import type { LiquidationPhase, LiquidationStep } from '../../domain/events.ts';
import { entryIdText } from '../../domain/ids.ts';
import { type PriceGrid, quantityText, withGrid } from '../../domain/market.ts';
import { USD_SCALE } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';
import type { LiquidationRow } from '../../history/history.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import type { getLiquidations, LIQUIDATION_PHASES } from '../../wire/liquidations.ts';
import { amountText, nativeText } from '../figures.ts';
import { enginePrice } from '../orders/shapes.ts';

/** Liquidation events, with the arithmetic of each step. */
type LiquidationShape = ReplyOf<typeof getLiquidations>[number];

export const liquidationShape = (directory: Directory, row: LiquidationRow): LiquidationShape => ({
  id: entryIdText(row.id),
  ...eventShape(directory, row),
  createdAt: String(row.timeMs),
});

type EventShape = Omit<LiquidationShape, 'id' | 'createdAt'>;

function eventShape(directory: Directory, { event, grid }: LiquidationRow): EventShape {
  switch (event.kind) {
    case 'liquidation-started':
      return { event: 'STARTED', ...marginShape(directory, event) };
    case 'liquidation-step':
      return {
        event: 'STEP',
        phase: PHASE_WORD[event.phase],
        ...stepShape(directory, event, grid),
      };
    case 'collateral-sold':
      return {
        event: 'COLLATERAL',
        phase: PHASE_WORD[event.phase],
        ...(event.asset === undefined
          ? {}
          : {
              asset: directory.asset(event.asset).code,
              given: amountText(directory, event.asset, event.given),
            }),
        repaid: nativeText(directory, event.repaid),
        debt: nativeText(directory, event.debt),
      };
    case 'liquidation-ended':
      return { event: 'ENDED', ...marginShape(directory, event) };
    default:
      return unreachable(event);
  }
}

function stepShape(
  directory: Directory,
  step: LiquidationStep,
  grid: PriceGrid | undefined,
): Partial<EventShape> {
  const market = directory.market(step.market);
  const spec = grid === undefined ? market : withGrid(market, grid);
  const quantity = (lots: number): string => quantityText(spec, lots, spec.quantityScale);
  return {
    ...marginShape(directory, step),
    marketCode: spec.code,
    position: quantity(step.lots),
    sliceQuantity: quantity(step.sliceLots),
    filledQuantity: quantity(step.filledLots),
    bankruptcyPrice: enginePrice(spec, step.bankruptcyTicks),
    markPrice: textFromParts(step.mark, USD_SCALE),
    help: nativeText(directory, step.help),
    fee: nativeText(directory, step.fee),
  };
}

const marginShape = (
  directory: Directory,
  event: Pick<LiquidationStep, 'collateral' | 'maintenanceMargin'>,
): Partial<EventShape> => ({
  collateral: nativeText(directory, event.collateral),
  maintenanceMargin: nativeText(directory, event.maintenanceMargin),
});

/** The type makes a missing phase a compile error. */
const PHASE_WORD = {
  nobody: 'NOBODY',
  book: 'BOOK',
  backstop: 'BACKSTOP',
  insured: 'INSURED',
  adl: 'ADL',
  fund: 'FUND',
  'taken-over': 'TAKEN_OVER',
  'paid-out': 'PAID_OUT',
} as const satisfies Record<LiquidationPhase, (typeof LIQUIDATION_PHASES)[number]>;
