import { compare, difference, NONE, nativeText, plain, product } from '../../shared/number-text.ts';
import { useStore } from '../../shared/store.ts';
import { live, type Market } from '../feed.ts';
import { useTiers } from '../tiers.ts';
import { type Form, isPerpetual } from './form.ts';

export type Power = {
  readonly label: string;
  readonly text: string;
  readonly unit: string;
  /**
   * What may be traded: in the counter asset (dollars on perpetuals), or for a sale on a spot market in the
   * base asset, so that no price comes in.
   */
  readonly usable: string;
};

/**
 * For the slider only, and never more than a first guess: the free balance times the leverage of the first
 * tier. The preview shows what an order really does.
 */
export function usePower(market: Market, form: Form): Power {
  const account = useStore(live, (state) => state.account);
  const balances = useStore(live, (state) => state.balances);
  const tiers = useTiers()[market.marketCode];
  if (isPerpetual(market)) {
    const free =
      account === undefined ? '0' : difference(account.collateral, account.portfolioVarMargin);
    const usable = compare(free, '0') < 0 ? '0' : free;
    const leverage = tiers?.[0]?.leverage ?? '1';
    const native = product(usable, leverage);
    return {
      label: 'Buying power',
      text: account === undefined ? NONE : nativeText(native),
      unit: 'OX',
      usable: product(native, '0.01'),
    };
  }
  const asset = form.side === 'BUY' ? market.counter : market.base;
  const available = balances[asset]?.available ?? '0';
  const text = account === undefined ? NONE : plain(available);
  return { label: 'Available', text, unit: asset, usable: available };
}
