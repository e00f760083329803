import { expect, test } from 'vitest';
import { endWalk, openSignedIn, sharedVenue } from '../shared-venue.ts';
import { eventually, intercept } from '../venue.ts';

test('a transfer moves what its boxes show, whatever was chosen before, and long names fit', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const name = `desk ${'long '.repeat(7)}`.slice(0, 40).trim();
  const known = await at.own().subAccounts();
  if (!known.some((one) => one.name === name)) await at.own().createSubAccount({ name });
  const opened = await openSignedIn(at, '/wallet');
  const { page } = opened;
  // Nobody has any: it can be deposited, but not transferred.
  await page.getByLabel('Asset').selectOption('XRP');
  await page.getByRole('tab', { name: 'Withdraw', exact: true }).click();
  await page.getByRole('button', { name: 'Available 0' }).waitFor();
  await page.getByRole('tab', { name: 'Transfer', exact: true }).click();
  const form = page.getByRole('form', { name: 'Transfer' });
  await form.getByLabel('To').selectOption({ label: name });
  const shown = await form
    .getByLabel('Asset')
    .evaluate((box: HTMLSelectElement) => box.selectedOptions[0]?.value);
  expect(await form.locator('.unit').innerText()).toBe(shown);
  const beyond = await form.evaluate((all) => {
    const edge = all.getBoundingClientRect().right;
    return [...all.querySelectorAll('.field')].filter(
      (field) => field.getBoundingClientRect().right > edge,
    ).length;
  });
  expect(beyond).toBe(0);
  // An amount belongs to its asset: 5 of one are not 5 of another.
  await form.getByLabel('Amount').fill('5');
  await form.getByLabel('Asset').selectOption('BTC');
  expect(await form.getByLabel('Amount').inputValue()).toBe('');
  await form.getByLabel('Asset').selectOption(shown ?? '');
  await form.getByLabel('Amount').fill('1');
  await form.getByRole('button', { name: 'Transfer' }).click();
  await page.getByText('Transferred').first().waitFor();
  await eventually(async () => {
    const [, held] = await at.own().balances({ subAcc: name });
    return held?.balances.map(({ asset }) => asset);
  }).toContain(shown);
  await endWalk(opened);
});

test('until they are answered, an address, a fee and sums are not those of what was chosen before', async ({
  skip,
}) => {
  const opened = await openSignedIn(await sharedVenue(skip), '/wallet');
  const { page } = opened;
  const fee = page.locator('.pg-lines div', { hasText: 'Fee' }).locator('.num');
  const realised = page.locator('.pg-figures div', { hasText: 'Realised' }).locator('.num');
  await page.getByLabel('Asset').selectOption('BTC');
  await page.getByText(/^bc1/).waitFor();
  const holdBack = (path: string) => intercept(page, `**/v3/${path}*`, async () => undefined);
  // Nor is a refusal.
  await intercept(page, '**/v3/deposit-addresses*', (route) =>
    route.fulfill({ json: { success: false, code: '30001', message: 'not here' } }),
  );
  await page.getByLabel('Asset').selectOption('ETH');
  await page.getByText('30001: not here').waitFor();
  await page.unrouteAll();
  await holdBack('deposit-addresses');
  await page.getByLabel('Asset').selectOption('USDT');
  await page.getByText('Send only USDT by Ethereum.').waitFor();
  expect(await page.locator('.pg-move code').count()).toBe(0);
  expect(await page.getByText('30001: not here').count()).toBe(0);
  await page.unrouteAll();

  await page.getByRole('tab', { name: 'Withdraw', exact: true }).click();
  await page.getByLabel('Amount').fill('10');
  await eventually(() => fee.innerText()).toMatch(/^\d/);
  await holdBack('withdrawal-fee');
  await page.getByLabel('Amount').fill('20');
  await eventually(() => fee.innerText()).toMatch(/^—/);
  await page.unrouteAll();

  await page.getByRole('link', { name: 'Portfolio', exact: true }).first().click();
  await eventually(() => realised.innerText()).toMatch(/\d/);
  await holdBack('account/history');
  await page.getByRole('radio', { name: '90 d' }).click();
  await page.getByText('Realised, 90 d').waitFor();
  expect(await realised.innerText()).toMatch(/^—/);
  await page.unrouteAll();
  await endWalk(opened);
});

test('a withdrawal that has been on hold for more than a week can still be called back', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const { id } = await at.own().withdraw({
    ...{ asset: 'SOL', network: 'Solana', quantity: '1000', externalFee: false },
    address: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  });
  const opened = await openSignedIn(at, '/settings');
  const { page } = opened;
  // As if it were not one of the last seven days.
  await intercept(page, '**/v3/withdrawal?*startTime*', (route) =>
    route.fulfill({ json: { success: true, data: [] } }),
  );
  await page.goto(`${at.baseUrl}/wallet`);
  const progress = page.getByRole('article', { name: 'Withdrawal of 1,000 SOL' });
  await progress.getByText('On hold').waitFor();
  await progress.getByRole('button', { name: 'Cancel' }).click();
  await eventually(async () => (await at.own().withdrawals({ id }))[0]?.status).toBe('CANCELED');
  await page.unrouteAll();
  await endWalk(opened);
});

test('the menu of accounts is never longer than the window: what does not fit is scrolled to', async ({
  skip,
}) => {
  const opened = await openSignedIn(await sharedVenue(skip), '/settings');
  const { page } = opened;
  await page.setViewportSize({ width: 1280, height: 200 });
  await page.getByRole('button', { name: /^Account main/ }).click();
  const menu = page.locator('.menu:popover-open');
  await menu.getByText('desk-b').waitFor();
  const [bottom = 0, height = 0] = await menu.evaluate((one) => [
    one.getBoundingClientRect().bottom,
    innerHeight,
  ]);
  expect(bottom).toBeLessThanOrEqual(height);
  // A click scrolls to it first.
  await menu.getByRole('button', { name: /^Settings/ }).click();
  await endWalk(opened);
});

test('of very many withdrawals on their way the first have a card, and the others are counted', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const opened = await openSignedIn(at, '/settings');
  const { page } = opened;
  const row = (id: number) => ({
    ...{ id: String(id), asset: 'SOL', network: 'Solana', address: '9WzDXwBbmkg8', quantity: '1' },
    ...{ fee: '0', status: 'ON HOLD', requestedAt: String(Date.now()) },
  });
  const data = Array.from({ length: 21 }, (_, at) => row(at + 1));
  await intercept(page, '**/v3/withdrawal?*', (route) =>
    route.fulfill({ json: { success: true, data } }),
  );
  await page.goto(`${at.baseUrl}/wallet`);
  const cards = page.getByRole('article', { name: 'Withdrawal of 1 SOL' });
  await page.getByText('11 more are on their way.').waitFor();
  expect(await cards.count()).toBe(10);
  await page.getByRole('button', { name: 'Show 10 more' }).click();
  await page.getByText('1 more is on its way.').waitFor();
  await page.getByRole('button', { name: 'Show 1 more' }).click();
  await eventually(() => cards.count()).toBe(21);
  expect(await page.getByText(/on (its|their) way\.$/).count()).toBe(0);
  await page.unrouteAll();
  await endWalk(opened);
});
