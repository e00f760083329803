import { FEE_MUTATIONS } from './fees.ts';
import { LIQUIDATION_MUTATIONS } from './liquidation.ts';
import { MARGIN_MUTATIONS } from './margin.ts';
import type { Mutation } from './mutation.ts';
import { ORDER_MUTATIONS } from './orders.ts';
import { PRICE_MUTATIONS } from './prices.ts';
import { WALLET_MUTATIONS } from './wallet.ts';
import { WHAT_IF_MUTATIONS } from './what-if.ts';

export const MUTATIONS: readonly Mutation[] = [
  ...ORDER_MUTATIONS,
  ...FEE_MUTATIONS,
  ...PRICE_MUTATIONS,
  ...MARGIN_MUTATIONS,
  ...LIQUIDATION_MUTATIONS,
  ...WALLET_MUTATIONS,
  ...WHAT_IF_MUTATIONS,
];
