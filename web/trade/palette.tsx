import './palette.css';
import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { Dialog } from '../shared/dialog.tsx';
import { Icon } from '../shared/icons.tsx';
import { navigate } from '../shared/navigate.ts';
import { decimalsOf, percentText, shown, visible } from '../shared/number-text.ts';
import { settings, themeNow } from '../shared/settings.ts';
import { useStore } from '../shared/store.ts';
import { family, turnTo } from './accounts.ts';
import { live, type Market, markets } from './feed.ts';
import { ROUTES } from './header.tsx';
import { foldBook } from './layout.ts';
import { confirmCancel } from './many-orders.tsx';
import { goToMarket } from './market-address.ts';
import { STATE_WORDS } from './market-bar.tsx';
import { speakMarket } from './read-aloud.ts';

type Item = {
  readonly id: string;
  readonly words: string;
  readonly market?: Market;
  readonly run: () => void;
};

const actions = (): readonly Item[] => [
  ...ROUTES.map(({ path, label }) => ({
    id: path,
    words: `Go to ${label}`,
    run: () => navigate(path),
  })),
  { id: 'settings', words: 'Go to Settings', run: () => navigate('/settings') },
  {
    id: 'theme',
    words: themeNow() === 'dark' ? 'Light theme' : 'Dark theme',
    run: () =>
      settings.update((all) => ({ ...all, theme: themeNow() === 'dark' ? 'light' : 'dark' })),
  },
  ...family.get().map((account) => ({
    id: `account-${account.accountId}`,
    words: `Switch to account ${account.name}`,
    run: () => void turnTo(account),
  })),
  { id: 'cancel-all', words: 'Cancel all orders', run: () => confirmCancel(undefined) },
  { id: 'fold', words: 'Order book on, off', run: foldBook },
  { id: 'read', words: 'Read me the market', run: speakMarket },
];

/** Markets and actions by a few letters. A combobox: the field keeps the focus, arrows move the selection. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const all = useStore(markets, (list) => list);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const listId = useId();
  const favourites = useStore(settings, (chosen) => chosen.favourites);
  const items = useMemo(() => matching(typed, all, favourites), [typed, all, favourites]);
  const choose = (item: Item | undefined): void => {
    if (item === undefined) return;
    onClose();
    item.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      const next = (at + move + items.length) % Math.max(1, items.length);
      setAt(next);
      // The field keeps the focus: the browser does not scroll to what is selected.
      document.getElementById(`${listId}-${items[next]?.id}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'ArrowRight' && event.altKey) {
      event.preventDefault();
      if (items[at]?.market !== undefined) turnFavourite(items[at].market);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(items[at]);
    }
  };
  const chosen = items[at];
  return (
    <Dialog title="Search markets and actions" className="pal" isBare onClose={onClose}>
      <div className="query">
        <Icon name="search" />
        <input
          autoFocus
          role="combobox"
          aria-label="Search markets and actions"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={chosen === undefined ? undefined : `${listId}-${chosen.id}`}
          placeholder="Search markets and actions"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <span className="kbd">Esc</span>
      </div>
      <div id={listId} className="results" role="listbox" aria-label="Results">
        {items.map((item, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
          <div
            key={item.id}
            id={`${listId}-${item.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={place === at}
            className={item.market === undefined ? 'op act' : 'op'}
            onPointerMove={() => setAt(place)}
            onClick={() => choose(item)}
          >
            {item.market === undefined ? (
              <b>{item.words}</b>
            ) : (
              <MarketLine
                market={item.market}
                isFavourite={favourites.includes(item.market.marketCode)}
              />
            )}
          </div>
        ))}
        {items.length === 0 ? <p className="gh">Nothing is called so.</p> : null}
      </div>
    </Dialog>
  );
}

function turnFavourite({ marketCode }: Market): void {
  settings.update((before) => {
    const others = before.favourites.filter((code) => code !== marketCode);
    const isOne = others.length < before.favourites.length;
    return { ...before, favourites: isOne ? others : [...others, marketCode] };
  });
}

function MarketLine(props: { readonly market: Market; readonly isFavourite: boolean }) {
  const { market, isFavourite } = props;
  const ticker = useStore(live, ({ tickers }) => tickers[market.marketCode]);
  const state =
    useStore(live, ({ statuses }) => statuses[market.marketCode]?.state) ?? market.state;
  const decimals = decimalsOf(market.tickSize);
  const last = ticker === undefined || Number(ticker.last) === 0 ? market.markPrice : ticker.last;
  const change = Number(last) / Number(ticker?.open24h ?? last) - 1;
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Alt and an arrow do the same in the field */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: as above */}
      <span
        className={isFavourite ? 'star on' : 'star'}
        title={isFavourite ? 'Favourite; Alt → removes it' : 'Alt → makes it a favourite'}
        onClick={(event) => {
          event.stopPropagation();
          turnFavourite(market);
        }}
      >
        {isFavourite ? '★' : '☆'}
      </span>
      <b>{`${market.base}/${market.counter}`}</b>
      <span className="chip">{market.type === 'FUTURE' ? 'Perp' : 'Spot'}</span>
      <span className="grow" />
      <span className="n num">{shown(last, decimals)}</span>
      <span className={`n num ${change < 0 ? 'sell' : 'buy'}`}>{percentText(change)}</span>
      <span className="n vol num t3" title="24 h volume">
        {volumeText(ticker?.currencyVolume24h ?? '0')} {market.base}
      </span>
      <span className={`n state ${state === 'OPEN' ? 't3' : 'warn'}`}>
        {STATE_WORDS[state] ?? state}
      </span>
    </>
  );
}

/** Tenths if they matter: for millions they would not fit. */
const volumeText = (volume: string): string => visible(volume, Number(volume) < 10_000 ? 1 : 0);

/** Favourites first, otherwise as the venue lists them. */
function matching(
  typed: string,
  all: readonly Market[],
  favourites: readonly string[],
): readonly Item[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  const rank = ({ marketCode }: Market): number => (favourites.includes(marketCode) ? 0 : 1);
  const found = all
    .toSorted((one, other) => rank(one) - rank(other))
    .filter(({ marketCode, name, base }) => fits(`${marketCode} ${name} ${base}`))
    .map((market) => ({
      id: market.marketCode,
      words: market.name,
      market,
      run: () => goToMarket(market.marketCode),
    }));
  return [...found, ...actions().filter((item) => fits(item.words))];
}
