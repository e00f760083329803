import { expect, test } from 'vitest';
import { limit, place, trade } from '../../http/trading.ts';
import {
  BTC,
  clearBooks,
  ETH,
  endWalk,
  markOf,
  openOrders,
  openSignedIn,
  quote,
  sharedVenue,
  ticketButton,
} from '../shared-venue.ts';
import { eventually, fillTicket, signIn } from '../venue.ts';

/** The coach marks that guide to a first order, and closing everything at once. */

test('marks on the real controls lead to a first order, once', async ({ skip }) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  await quote(at.other(), BTC, await markOf(at));
  // The middle of the book, which the ticket fills in once the book has come, is not the mark that was there.
  await place(at.other(), limit('BUY', '0.1', String((await markOf(at)) + 1)));
  const { page, faults } = await at.open('/', { hasCoach: true });
  await signIn(page);
  const mark = page.getByRole('complementary', { name: /^First order on/ });
  await mark.getByText('Pick a level (1 of 3)').waitFor();
  await page.locator('.book .side.bids .lv').first().waitFor();
  await page.waitForTimeout(500);
  expect(await mark.innerText()).toContain('Pick a level (1 of 3)');
  await page.locator('.book .side.bids .lv').first().click();
  await mark.getByText('Choose a size (2 of 3)').waitFor();
  const share = page.getByRole('slider', { name: 'Share of buying power' });
  // The account arrives a moment after signing in.
  await eventually(() => share.isEnabled()).toBe(true);
  for (let percent = 1; percent <= 10; percent++) await share.press('ArrowRight');
  expect(await share.getAttribute('aria-valuetext')).toBe('10 %');
  await mark.getByText('Send it (3 of 3)').waitFor();
  await page.locator('#ticket-size').fill('0.01');
  await eventually(() => ticketButton(page).isDisabled()).toBe(false);
  await page.getByText('none, it rests').waitFor();
  await ticketButton(page).click();
  await mark.getByText('There it is').waitFor();
  await mark.getByText('Drag it to another price, or cancel it').waitFor();
  expect(await openOrders(at)).toBe(1);
  await mark.getByRole('button', { name: 'Done' }).click();
  await mark.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('button', { name: /^Cancel Buy limit/ }).click();
  await eventually(() => openOrders(at)).toBe(0);
  expect(await mark.count()).toBe(0);
  expect(faults).toEqual([]);
  await clearBooks(at);
  await page.context().close();
});

test('the marks are skipped by keyboard, and do not come again', async ({ skip }) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  await quote(at.other(), BTC, await markOf(at));
  const { page, faults } = await at.open('/', { hasCoach: true });
  await signIn(page);
  const mark = page.getByRole('complementary', { name: /^First order on/ });
  await mark.getByRole('button', { name: 'Skip all' }).press('Enter');
  await mark.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('button', { name: /^Account main/ }).waitFor();
  await page.locator('.book .lv').first().waitFor();
  expect(await mark.count()).toBe(0);
  expect(faults).toEqual([]);
  await clearBooks(at);
  await page.context().close();
});

test('closing all positions asks with their list, and closes no more than was there', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const [own, other] = [at.own(), at.other()];
  const marks = { [BTC]: await markOf(at), [ETH]: await markOf(at, ETH) };
  await trade(other, own, limit('SELL', '0.3', String(marks[BTC])));
  await trade(other, own, {
    ...limit('BUY', '2', String(marks[ETH])),
    marketCode: ETH,
  });
  const held = async (): Promise<string[]> => {
    const [account] = await own.positions({});
    return (account?.positions ?? []).map(({ marketCode }) => marketCode).sort();
  };
  const before = await held();
  expect(before).toEqual(expect.arrayContaining([BTC, ETH]));
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  // While nobody quotes, the orders are taken and end unfilled: that is said for each position.
  await page.getByRole('button', { name: 'Close all…' }).click();
  await page.getByRole('button', { name: `Close ${before.length} positions` }).click();
  await page
    .locator('.toasts')
    .getByText(/^Not closed: BTC/)
    .waitFor();
  expect(await held()).toEqual(before);
  const dismissals = page.locator('.toasts').getByRole('button', { name: 'Dismiss' });
  await dismissals.evaluateAll((all) => {
    for (const button of all) (button as HTMLElement).click();
  });
  for (const [marketCode, mark] of Object.entries(marks)) await quote(other, marketCode, mark);
  // In another market the ticket starts with a price of that one.
  await page.getByRole('row', { name: /ETH/ }).getByRole('button', { name: 'Close' }).click();
  await eventually(() => ticketButton(page).innerText()).toMatch(/ETH at market/);
  await page.getByRole('tab', { name: 'Limit', exact: true }).click();
  const price = async () =>
    Number((await page.locator('#ticket-price').inputValue()).replace(',', ''));
  await eventually(async () => Math.abs((await price()) / (marks[ETH] ?? 0) - 1)).toBeLessThan(0.1);
  await page.getByRole('row', { name: /BTC/ }).getByRole('button', { name: 'Close' }).click();
  // Asked to confirm one order; the button does not ask for the next, which the position fills in.
  await fillTicket(page, { kind: 'Market', side: 'Buy', size: '0.01' });
  await ticketButton(page).click();
  await eventually(() => ticketButton(page).innerText()).toBe('Buy at market now?');
  await page.getByRole('row', { name: /BTC/ }).getByRole('button', { name: 'Close' }).click();
  await eventually(() => ticketButton(page).innerText()).toMatch(
    /^(Buy|Sell) [\d.]+ BTC at market/,
  );
  // On a phone the ticket is a sheet: it opens with what the position fills in, and closes with Esc.
  await page.setViewportSize({ width: 360, height: 780 });
  await page.getByRole('row', { name: /BTC/ }).getByRole('button', { name: 'Close' }).click();
  await page.locator('.ticket.panel:focus').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.ticket.panel').waitFor({ state: 'hidden' });
  // A message is visible in every tab, not only with the chart.
  await page.getByRole('tab', { name: 'Book' }).click();
  await page.locator('.chart').waitFor({ state: 'hidden' });
  const messages = page.locator('.toasts');
  expect(await messages.evaluate((box) => box.checkVisibility())).toBe(true);
  await page.getByRole('button', { name: 'Close all…' }).click();
  const dialog = page.getByRole('dialog', { name: `Close ${before.length} positions at market?` });
  await dialog
    .getByText(/^(Buy|Sell) [\d.,]+ [A-Z]+$/)
    .nth(before.length - 1)
    .waitFor();
  // The safe button has the focus: Enter closes nothing.
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'hidden' });
  expect(await held()).toEqual(before);
  await page.setViewportSize({ width: 768, height: 1024 });
  await page.getByRole('button', { name: 'Close all…' }).click();
  await dialog.getByRole('button', { name: `Close ${before.length} positions` }).click();
  await page.getByText('No position').waitFor();
  await eventually(held).toEqual([]);
  // Reduce only: nothing was opened on the other side, nothing is left in the book.
  expect(await own.workingOrders({})).toEqual([]);
  await clearBooks(at);
  await endWalk(opened);
});
