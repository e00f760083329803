import { nativeText, shown } from '../shared/number-text.ts';
import { settings } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import { live, markets } from './feed.ts';
import { usdPrices } from './prices.ts';

/** Prices change with every tick; panels beside the trade view follow the market list, every 20 s. */
export function usePrices(): Readonly<Record<string, number>> {
  const list = useStore(markets, (all) => all);
  const known = Object.fromEntries(list.map((market) => [market.marketCode, market]));
  return usdPrices(list, known);
}

export type Valued = { readonly text: string; readonly unit: 'OX' | 'USD' };

/** Values in the chosen unit: the native asset, or dollars at its index price. */
export function useValue(): (native: string | undefined) => Valued {
  const unit = useStore(settings, (all) => all.unit);
  const price = usePrices()['OX'];
  return (native) => {
    if (unit === 'OX' || price === undefined) return { text: nativeText(native), unit: 'OX' };
    if (native === undefined) return { text: nativeText(native), unit };
    const usd = Number(native) * price;
    return { text: shown(plainText(usd), Math.abs(usd) < 100_000 ? 2 : 0), unit };
  };
}

/** Never in exponential notation (1e21). */
export const plainText = (value: number): string =>
  Number.isFinite(value) ? value.toFixed(8) : '0';

export const useLiveAccount = () => useStore(live, (state) => state.account);
