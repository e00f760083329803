import { Type } from 'typebox';
import { endpoint } from './endpoint.ts';
import { DecimalText, IdText, PAGE, TimeText } from './scalars.ts';

const LIQUIDATION_EVENTS = ['STARTED', 'STEP', 'COLLATERAL', 'ENDED'] as const;
/** Who took the other side of a step. */
export const LIQUIDATION_PHASES = [
  'NOBODY',
  'BOOK',
  'BACKSTOP',
  'INSURED',
  'ADL',
  'FUND',
  'TAKEN_OVER',
  'PAID_OUT',
] as const;

const figure = Type.Optional(DecimalText);

/** Amounts are in the native asset. Each event omits what does not apply to it. */
export const Liquidation = Type.Object({
  id: IdText,
  event: Type.Enum([...LIQUIDATION_EVENTS]),
  phase: Type.Optional(Type.Enum([...LIQUIDATION_PHASES])),
  /** As of the beginning of the event; for ENDED, as of its end. */
  collateral: figure,
  maintenanceMargin: figure,
  /** STEP, one for each phase that closed something: the position before it, the slice, and the closed part. */
  marketCode: Type.Optional(Type.String()),
  position: figure,
  sliceQuantity: figure,
  filledQuantity: figure,
  bankruptcyPrice: figure,
  markPrice: figure,
  /** What the insurance fund, and after it the deficit, paid for the account. */
  help: figure,
  /** What the account paid to the insurance fund. */
  fee: figure,
  /** COLLATERAL: the asset, what the fund got of it, what was repaid, and what is still owed. */
  asset: Type.Optional(Type.String()),
  given: figure,
  repaid: figure,
  debt: figure,
  createdAt: TimeText,
});

export const getLiquidations = endpoint({
  method: 'GET',
  path: '/v3/liquidations',
  access: 'read',
  summary: "Extension: liquidations of the key's account, step by step, newest first",
  request: Type.Object(PAGE),
  reply: Type.Array(Liquidation),
  limits: { page: { default: 200, max: 500 } },
});
