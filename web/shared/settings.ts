import { type Separators, setSeparators } from './number-text.ts';
import { keptStore, readKept } from './store.ts';

/** The user's settings in this browser. */
export type Settings = {
  readonly theme: 'dark' | 'light' | 'system';
  readonly pair: 'teal-coral' | 'blue-orange' | 'red-up';
  readonly zone: 'utc' | 'local';
  readonly hasShortcuts: boolean;
  readonly asksForMarketOrders: boolean;
  readonly separators: Separators;
  /** The unit of values: the native asset, or dollars at its index price. */
  readonly unit: 'OX' | 'USD';
  /** Codes of the markets that the search lists first. */
  readonly favourites: readonly string[];
  /** Open orders are cancelled when this page is gone for a while. */
  readonly cancelsOnDisconnect: boolean;
};

const NAME = 'rialto-settings';

/** Settings of an earlier visit may lack newer members. */
export const settings = keptStore<Settings>(NAME, {
  theme: 'dark',
  pair: 'teal-coral',
  zone: 'utc',
  hasShortcuts: true,
  asksForMarketOrders: true,
  separators: 'comma',
  unit: 'OX',
  favourites: [],
  cancelsOnDisconnect: false,
});

const isSystemLight = matchMedia('(prefers-color-scheme: light)');

export function themeNow(): 'dark' | 'light' {
  const { theme } = settings.get();
  if (theme !== 'system') return theme;
  return isSystemLight.matches ? 'light' : 'dark';
}

function show(): void {
  const root = document.documentElement;
  root.dataset['theme'] = themeNow();
  root.dataset['pair'] = settings.get().pair;
  setSeparators(settings.get().separators);
}

export function showSettings(): void {
  show();
  settings.subscribe(show);
  // What is chosen in one tab counts in all: another would go on arming a switch that was turned off here.
  addEventListener('storage', ({ key }) => {
    if (key === NAME) takeKept();
  });
  // What is drawn with the colours of the system follows the settings: it hears of them as of a new choice.
  const onSystem = (): void => settings.update((all) => ({ ...all }));
  isSystemLight.addEventListener('change', onSystem);
  matchMedia('(forced-colors: active)').addEventListener('change', onSystem);
}

/** Only what differs: two tabs of different versions would otherwise answer each other for ever. */
function takeKept(): void {
  const before = settings.get();
  const kept = { ...before, ...readKept<Settings>(NAME) };
  const isSame = (name: keyof Settings): boolean => String(kept[name]) === String(before[name]);
  if (!(Object.keys(kept) as (keyof Settings)[]).every(isSame)) settings.set(kept);
}
