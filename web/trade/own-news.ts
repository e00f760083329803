import { notify } from '../shared/messages.tsx';
import { live, termsOf } from './feed.ts';
import type { AccountFigures, OwnFill } from './live-state.ts';
import { priceText, sizeText } from './order-words.ts';

/** What happens to the account is said once, on whatever route the page is. */

let announced = new Set<string>();

const idOf = ({ matchId, side }: OwnFill): string => `${matchId}${side}`;

/** The newest is the first; they are said in the order in which they happened. */
function tellFills(fills: readonly OwnFill[]): void {
  for (const fill of fills.toReversed()) {
    if (announced.has(idOf(fill))) continue;
    const words = fill.side === 'BUY' ? 'Bought' : 'Sold';
    const terms = termsOf(fill.marketCode);
    const size = sizeText(fill.quantity, terms);
    notify('good', `${words} ${size} at ${priceText(fill.price, terms)}`, terms.name);
  }
  announced = new Set(fills.map(idOf));
}

let known: AccountFigures | undefined;

/** Its fills look like any other: without this nobody would know why the venue has traded. */
function tellLiquidation(account: AccountFigures | undefined): void {
  const wasLiquidating = known?.accountId === account?.accountId && known?.liquidating === true;
  known = account;
  if (account === undefined || account.liquidating === wasLiquidating) return;
  if (account.liquidating) {
    notify('bad', 'Liquidation has begun', `The venue is closing positions of ${account.name}.`);
  } else {
    const where = 'Each step is in History, Liquidations.';
    notify(
      'bad',
      'Liquidation has ended',
      `The venue closed positions of ${account.name}. ${where}`,
    );
  }
}

export function startOwnNews(): void {
  live.subscribe(() => {
    const { fills, account } = live.get();
    if (fills.length > 0) tellFills(fills);
    tellLiquidation(account);
  });
}
