import { notify } from '../shared/messages.tsx';
import { navigate, redirect, whenAddressChanges } from '../shared/navigate.ts';
import { chooseMarket, chosen, marketOf, markets } from './feed.ts';

/** The market in the address, so that links, Back and Forward show what they say. */

const nameIn = (path: string): string | undefined =>
  /^\/trade\/([^/]+)\/?$/.exec(path)?.[1]?.toUpperCase();

const addressOf = (marketCode: string): string => `/trade/${marketCode}`;

export function goToMarket(marketCode: string): void {
  const { pathname } = location;
  const isShown = pathname === '/' || pathname.startsWith('/trade');
  if (isShown && chosen.get().marketCode === marketCode) return;
  // "/" shows the market that was chosen last: Back must return to the one that it shows now.
  if (isShown && nameIn(pathname) === undefined) redirect(addressOf(chosen.get().marketCode));
  navigate(addressOf(marketCode));
}

/** What was shown before an address with a market that may not exist. */
let shownBefore = chosen.get().marketCode;

function showNamed(): void {
  const name = nameIn(location.pathname);
  if (name === undefined) return;
  const all = markets.get();
  const isUnknown = all.length > 0 && marketOf(all, name) === undefined;
  if (isUnknown) {
    const instead = marketOf(all, shownBefore) ?? marketOf(all, chosen.get().marketCode) ?? all[0];
    redirect(addressOf(instead?.marketCode ?? ''));
    notify('bad', 'No such market', `${name} is not traded here. This is ${instead?.name}.`);
    return;
  }
  if (!/^[A-Z0-9-]{3,40}$/.test(name)) return;
  if (all.length > 0) shownBefore = name;
  chooseMarket(name);
}

/** Before the markets are known the address is believed; then it is compared with them. */
export function followAddress(): void {
  showNamed();
  whenAddressChanges(showNamed);
  const unsubscribe = markets.subscribe(() => {
    unsubscribe();
    showNamed();
  });
}
