import { expect, test } from 'vitest';
import type { HandoutOperator } from '../../../src/cli/handout.ts';
import { RialtoClient } from '../../../src/client/index.ts';
import { listFamilies, setRestrictions } from '../../../src/wire/operator-accounts.ts';
import { cancelWithdrawalOf, releaseWithdrawal } from '../../../src/wire/operator-wallet.ts';
import { openConsole } from '../pictures.ts';
import { sharedVenue } from '../shared-venue.ts';
import { eventually, type Opened, type PageVenue, served } from '../venue.ts';

/** Two operators act on the same item at the same time: one on the console, the other over the interface. */

const operatorAt = ({ handout }: PageVenue, at: number): RialtoClient =>
  new RialtoClient({
    baseUrl: handout.managementUrl,
    ...(handout.operators[at] as HandoutOperator),
  });

async function openFirst(at: PageVenue, path: string): Promise<Opened> {
  await served(at.handout.consoleUrl);
  const opened = await openConsole(at, 0);
  await opened.page.goto(at.handout.consoleUrl + path);
  return opened;
}

test('an open dialog stays with its withdrawal, and says what another operator did to it', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
  const bitcoin = { asset: 'BTC', network: 'Bitcoin', address, externalFee: false };
  const { id } = await at.own().withdraw({ ...bitcoin, quantity: '4.2' });
  const { page, faults } = await openFirst(at, '');
  await page.getByRole('button', { name: `choose withdrawal ${id}` }).click();
  await page.getByRole('button', { name: 'Release as first…' }).click();
  const dialog = page.getByRole('dialog', { name: /4\.2 BTC/ });
  const send = dialog.getByRole('button', { name: /^Release as/ });
  const reason = dialog.getByLabel('Reason, for the audit log');
  await reason.fill('called back');
  await operatorAt(at, 1).call(releaseWithdrawal, { id, reason: 'known' });
  // A press that was meant for "as first" must not pay.
  await dialog.getByRole('alert').getByText('This has changed').waitFor();
  expect(await send.innerText()).toBe('Release as second');
  expect(await send.isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'I have read it' }).click();
  expect(await send.isEnabled()).toBe(true);
  expect(await reason.inputValue()).toBe('called back');
  // The list goes on to another withdrawal; the dialog does not.
  await operatorAt(at, 0).call(cancelWithdrawalOf, { id, reason: 'fraud' });
  await dialog.getByRole('alert').getByText('It has ended').waitFor();
  expect(await send.isDisabled()).toBe(true);
  await dialog.getByRole('button', { name: 'Leave it' }).click();
  await dialog.waitFor({ state: 'detached' });
  // What had opened it is gone: the keyboard goes on from the panel.
  await eventually(() =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
  ).toBe('Withdrawals on hold');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('restrictions that another operator sets meanwhile are not lifted by mistake', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const one = operatorAt(at, 0);
  const family = 'demo-2';
  const [found] = await one.call(listFamilies, { family });
  const { page, faults } = await openFirst(at, `/accounts/${found?.accounts[0]?.accountId}`);
  await page.getByRole('button', { name: 'Restrictions…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('no-withdraw').check();
  await one.call(setRestrictions, { family, restrictions: ['no-trade'] });
  await eventually(() => dialog.getByLabel('no-trade').isChecked()).toBe(true);
  await dialog.getByRole('button', { name: 'Set restrictions' }).click();
  await dialog.waitFor({ state: 'detached' });
  const restrictions = async () => (await one.call(listFamilies, { family }))[0]?.restrictions;
  expect(await restrictions()).toEqual(['no-trade', 'no-withdraw']);
  await one.call(setRestrictions, { family, restrictions: [] });
  expect(faults).toEqual([]);
  await page.context().close();
});
