import { decimalFromText } from '../../domain/decimal.ts';
import { quantityText } from '../../domain/market.ts';
import { isRefusal, refuse } from '../../domain/rejections.ts';
import { MAIN_ACCOUNT_NAME } from '../../domain/terms.ts';
import type { Engine } from '../../engine/engine.ts';
import { setBackstop, setMarketState, setOrderLimits } from '../../wire/operator-markets.ts';
import { type Route, route } from '../http/mount.ts';
import { readQuantity } from '../orders/intake.ts';
import { byOperator, eventOf } from './acting.ts';

export const marketRoutes = (engine: Engine): Route[] => [
  route(setMarketState, async ({ request, caller }) => {
    const { marketCode, state, reason } = request;
    const { outcome, isRepeat } = await engine.submit({
      kind: 'set-market-state',
      ...byOperator(caller),
      market: marketCode,
      state,
      reason,
    });
    const set = eventOf(outcome, 'market-state-set');
    if (isRefusal(set)) return { ...set, isRepeat };
    return { data: { marketCode, state: set.state, reason: set.reason }, isRepeat };
  }),

  route(setOrderLimits, async ({ request, caller }) => {
    const { outcome, isRepeat } = await engine.submit({
      kind: 'set-order-limits',
      ...byOperator(caller),
      perMarket: Number(request.perMarket),
      inAll: Number(request.inAll),
    });
    const set = eventOf(outcome, 'order-limits-set');
    if (isRefusal(set)) return { ...set, isRepeat };
    return { data: { perMarket: String(set.perMarket), inAll: String(set.inAll) }, isRepeat };
  }),

  route(setBackstop, async ({ request, caller }) => {
    const { family, name = MAIN_ACCOUNT_NAME, marketCode, quantity } = request;
    const index = engine.directory.marketByCode(marketCode);
    if (index === undefined) return refuse('MARKET_UNKNOWN', `there is no ${marketCode}`);
    const spec = engine.directory.market(index);
    const isNone = decimalFromText(quantity)?.digits === 0n;
    const maxLots = isNone ? 0 : readQuantity(quantity, spec);
    if (typeof maxLots === 'object') return maxLots;
    const { outcome, isRepeat } = await engine.submit({
      kind: 'set-backstop',
      ...byOperator(caller),
      account: { family, name },
      market: marketCode,
      maxLots,
    });
    const set = eventOf(outcome, 'backstop-set');
    if (isRefusal(set)) return { ...set, isRepeat };
    return {
      data: { family, name, marketCode, quantity: quantityText(spec, set.maxLots) },
      isRepeat,
    };
  }),
];
