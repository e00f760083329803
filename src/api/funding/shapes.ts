import { textFromParts } from '../../domain/decimal.ts';
import { entryIdText } from '../../domain/ids.ts';
import { quantityText, RATE_SCALE } from '../../domain/market.ts';
import { USD_SCALE } from '../../domain/units.ts';
import type { Directory, MarketView } from '../../domain/views.ts';
import type { FundingPaymentRow, FundingRateRow } from '../../history/history.ts';
import type { ReplyOf } from '../../wire/endpoint.ts';
import type { getFunding, getFundingEstimates, getFundingRates } from '../../wire/funding.ts';
import { nativeScale, nextHourMs } from '../figures.ts';

/** Funding as the shapes of the interface. Rates are counted in 10^-9. */
type PaymentShape = ReplyOf<typeof getFunding>[number];
type RateShape = ReplyOf<typeof getFundingRates>[number];
type EstimateShape = ReplyOf<typeof getFundingEstimates>[number];

export function fundingShape(directory: Directory, row: FundingPaymentRow): PaymentShape {
  const spec = directory.market(row.market);
  return {
    id: entryIdText(row.id),
    marketCode: spec.code,
    payment: textFromParts(row.payment, nativeScale(directory)),
    fundingRate: textFromParts(row.rate, RATE_SCALE),
    position: quantityText(spec, row.lots, spec.quantityScale),
    indexPrice: textFromParts(row.index, USD_SCALE),
    createdAt: String(row.timeMs),
  };
}

export const fundingRateShape = (directory: Directory, row: FundingRateRow): RateShape => ({
  marketCode: directory.market(row.market).code,
  fundingRate: textFromParts(row.rate, RATE_SCALE, RATE_SCALE),
  createdAt: String(row.timeMs),
});

/** Funding is paid on the next full hour. */
export const fundingEstimateShape = (
  directory: Directory,
  { market, estimatedFunding }: MarketView,
  nowMs: number,
): EstimateShape => ({
  marketCode: directory.market(market).code,
  fundingAt: String(nextHourMs(nowMs)),
  estFundingRate: textFromParts(estimatedFunding, RATE_SCALE, RATE_SCALE),
});
