import { expect, test } from 'vitest';
import { later } from '../later.ts';
import { clearBooks, sharedVenue } from '../shared-venue.ts';
import { eventually, fillTicket, intercept, signIn } from '../venue.ts';

/** The program is killed in the middle of an order and restarted; the page recovers by itself. */

test('an order that was on its way when the venue died is taken once; ticket and cancel go on after it is back', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const { page, faults } = await at.open('/');
  await signIn(page);
  await page.getByRole('tab', { name: /^Orders/ }).click();
  const go = page.locator('.ticket .go');
  await fillTicket(page, { price: '59000', size: '0.01' });
  await page.getByText('none, it rests').waitFor();
  await go.click();
  await page.getByRole('row', { name: /59,000/ }).waitFor();
  await page.getByText('Order taken').waitFor();
  // The next order is held until the venue is down.
  let sent = 0;
  await intercept(page, '**/v3/orders/place', async (route) => {
    if (sent++ === 0) await at.kill();
    await route.continue();
  });
  await fillTicket(page, { price: '58900' });
  await eventually(() => go.innerText()).toContain('58,900');
  await go.click();
  await eventually(() => go.innerText()).toBe('Sent, waiting for the answer');
  // Until its outcome is known, nothing can be changed.
  await page.locator('#ticket-size:disabled').waitFor();
  expect(await go.isDisabled()).toBe(true);
  await page.locator('.status').getByText('Connecting').waitFor();
  // Not sooner: it may be back before the page has noticed.
  const compared = page.waitForResponse(/\/v3\/orders\/working/);
  await at.restart();
  // Skips the wait for the next automatic attempt.
  await later(page, 5_000);
  await later(page, -5_000);
  await page.getByRole('row', { name: /58,900/ }).waitFor();
  await page.locator('.status').getByText('Live').waitFor();
  await eventually(() => go.isDisabled()).toBe(false);
  const rows = page.getByRole('table', { name: 'Open orders' }).locator('tbody tr');
  expect(await rows.count()).toBe(2);
  expect(sent).toBeGreaterThan(1);
  const open = await at.own().workingOrders({});
  expect(open.map(({ price }) => Number(price)).sort()).toEqual([58_900, 59_000]);
  await page.getByRole('button', { name: /^Cancel buy 0\.01.* at 58,900 in BTC/ }).click();
  await eventually(() => rows.count()).toBe(1);
  // The comparison with REST after resuming has found no difference.
  await later(page, 2_000);
  await compared;
  // The venue no longer has the missed messages: the page says that it has reloaded everything.
  await page.getByRole('button', { name: /^Messages/ }).click();
  await page.locator('#bell-list').getByText('Caught up', { exact: true }).waitFor();
  expect(faults.filter((words) => /defect|^error|^request/.test(words))).toEqual([]);
  await page.context().close();
});
