import { notify } from '../shared/messages.tsx';
import { navigate, redirect, whenAddressChanges } from '../shared/navigate.ts';
import { chooseMarket, chosen, marketOf, markets } from './feed.ts';
import { addressOf, marketNamed, nameIn } from './market-path.ts';

/** The market in the address, so that links, Back and Forward show what they say. */

const isTrade = (): boolean => location.pathname === '/' || location.pathname.startsWith('/trade');

/** With its ticket. */
export const isShown = (marketCode: string): boolean =>
  isTrade() && chosen.get().marketCode === marketCode;

export function goToMarket(marketCode: string): void {
  if (isShown(marketCode)) return;
  // "/" shows the market that was chosen last: Back must return to the one that it shows now.
  if (isTrade() && nameIn(location.pathname) === undefined)
    redirect(addressOf(chosen.get().marketCode));
  navigate(addressOf(marketCode));
}

/** Not before the markets are known: nothing is asked about one that may not exist. */
function showNamed(): void {
  const name = nameIn(location.pathname);
  const all = markets.get();
  if (name === undefined || all.length === 0) return;
  const named = marketNamed(all, name);
  if (named !== undefined) {
    chooseMarket(named.marketCode);
    return;
  }
  const instead = marketOf(all, chosen.get().marketCode) ?? all[0];
  redirect(addressOf(instead?.marketCode ?? ''));
  notify('bad', 'No such market', `${name} is not traded here. This is ${instead?.name}.`);
}

/** Before the panels are, so that they never show another market first. */
export function followAddress(): void {
  whenAddressChanges(showNamed);
  const unsubscribe = markets.subscribe(() => {
    unsubscribe();
    showNamed();
  });
}
