import { Type } from 'typebox';
import { endpoint } from './endpoint.ts';
import { DecimalText, IdText, PAGE, TimeText, WINDOW, WordSent } from './scalars.ts';

const MARKET = { marketCode: Type.Optional(WordSent) };

export const getFunding = endpoint({
  method: 'GET',
  path: '/v3/funding',
  access: 'read',
  summary: "Funding the key's account paid and received, newest first; endTime is exclusive",
  request: Type.Object({ ...MARKET, ...PAGE }),
  reply: Type.Array(
    Type.Object({
      id: IdText,
      marketCode: Type.String(),
      /** Native asset: - position x indexPrice x fundingRate x 100. Positive if received. */
      payment: DecimalText,
      fundingRate: DecimalText,
      position: DecimalText,
      indexPrice: DecimalText,
      createdAt: TimeText,
    }),
  ),
  limits: { page: { default: 200, max: 500 } },
});

/** Exactly these members: existing clients refuse a rate with more. */
export const getFundingRates = endpoint({
  method: 'GET',
  path: '/v3/funding/rates',
  access: 'public',
  summary: 'Funding rates of the hours that are over, newest first',
  request: Type.Object({ ...MARKET, ...WINDOW }),
  reply: Type.Array(
    Type.Object({ marketCode: Type.String(), fundingRate: DecimalText, createdAt: TimeText }),
  ),
  limits: { page: { default: 200, max: 500 } },
});

export const getFundingEstimates = endpoint({
  method: 'GET',
  path: '/v3/funding/estimates',
  access: 'public',
  summary: 'The rate of the running hour by its premium so far: perpetuals only',
  request: Type.Object(MARKET),
  reply: Type.Array(
    Type.Object({
      marketCode: Type.String(),
      fundingAt: TimeText,
      estFundingRate: DecimalText,
    }),
  ),
});
