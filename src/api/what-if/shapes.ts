import { assert } from '../../domain/assert.ts';
import { WORK_BOUNDS } from '../../domain/bounds.ts';
import { floorDiv, textFromParts } from '../../domain/decimal.ts';
import { FEE_SCALE, FEE_TIERS } from '../../domain/fee-tiers.ts';
import { type MarketSpec, quantityText } from '../../domain/market.ts';
import type { OrderRequest } from '../../domain/orders.ts';
import { REJECTIONS } from '../../domain/rejections.ts';
import type { Directory, PreviewView } from '../../domain/views.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import type { previewOrder } from '../../wire/what-if.ts';
import { accountShape, liquidationPriceText } from '../account/shapes.ts';
import { enginePrice, feeShapes } from '../orders/shapes.ts';

type PreviewShape = ReplyOf<typeof previewOrder>;

/** What an order would get, and the figures of its account after it. */
export function previewShape(
  directory: Directory,
  { market, sizeLots, amountParts }: OrderRequest,
  { status, fills, matches, isCut, fees, account, refused }: PreviewView,
): PreviewShape {
  const spec = directory.market(market);
  const { collateral, portfolioVarMargin, maintenanceMargin, marginRatio } = accountShape(
    directory,
    account,
  );
  const filledLots = fills.reduce((sum, { lots }) => sum + lots, 0);
  const position = account.positions.find((one) => one.market === market);
  const cut = `after ${quantityText(spec, filledLots, 1)} of it ${BOUND} would be reached`;
  return {
    ...(status === undefined ? {} : { status }),
    fills: fills.map(({ priceTicks, lots }) => ({
      price: enginePrice(spec, priceTicks),
      quantity: quantityText(spec, lots, 1),
    })),
    matches: String(matches),
    filledQuantity: quantityText(spec, filledLots, 1),
    // An order that spends an amount has no quantity of its own.
    remainQuantity: quantityText(spec, amountParts > 0n ? 0 : sizeLots - filledLots, 1),
    ...(filledLots === 0 ? {} : { avgFillPrice: averageText(spec, fills) }),
    fees: feeShapes(
      directory,
      fees.map(({ asset, amount }) => [asset, amount]),
    ),
    ...feeRates(account.feeTier),
    collateral,
    portfolioVarMargin,
    maintenanceMargin,
    marginRatio,
    ...(position === undefined ? {} : { estLiquidationPrice: liquidationPriceText(position) }),
    ...(isCut ? { cut: { code: REJECTIONS.BUSY.code, message: cut } } : {}),
    ...(refused === undefined
      ? {}
      : { refusal: { code: REJECTIONS[refused.reason].code, message: refused.message } }),
  };
}

const BOUND = `the bound of ${WORK_BOUNDS.matchesPerRequest} matches a request`;

/** Rates of the value: for what rests and is filled later, and for what fills at once. */
function feeRates(tier: number): Pick<PreviewShape, 'makerFeeRate' | 'takerFeeRate'> {
  const rates = FEE_TIERS[tier - 1];
  assert(rates !== undefined, 'a family has a fee tier of the table');
  return {
    makerFeeRate: textFromParts(rates.maker, FEE_SCALE, 1),
    takerFeeRate: textFromParts(rates.taker, FEE_SCALE, 1),
  };
}

const AVERAGE_DIGITS = 8;

/** Rounded down to 8 digits, as the average of an order that was placed. */
function averageText(spec: MarketSpec, fills: PreviewView['fills']): string {
  let tickLots = 0n;
  let lotsSum = 0n;
  for (const { priceTicks, lots } of fills) {
    tickLots += BigInt(priceTicks) * BigInt(lots);
    lotsSum += BigInt(lots);
  }
  const dividend = tickLots * spec.tickParts * 10n ** BigInt(AVERAGE_DIGITS);
  const average = floorDiv(dividend, lotsSum * 10n ** BigInt(spec.priceScale));
  return textFromParts(average, AVERAGE_DIGITS, 1);
}
