import { expect, test } from 'vitest';
import type { HandoutOperator } from '../../../src/cli/handout.ts';
import { RialtoClient } from '../../../src/client/index.ts';
import { createAccount, inviteUser } from '../../../src/wire/operator-accounts.ts';
import { limit, trade } from '../../http/trading.ts';
import { later } from '../later.ts';
import {
  BTC,
  clearBooks,
  endWalk,
  markOf,
  openOrders,
  openSignedIn,
  sharedVenue,
  ticketButton,
} from '../shared-venue.ts';
import { eventually, fillTicket, intercept, signIn } from '../venue.ts';

/** Expiring sessions, and two tabs of one browser. */

test('a session that ends is announced; signing in again in a dialog keeps what stands in the ticket', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const { page, faults } = await at.open('/');
  // The first session has a minute left, later ones their full time.
  let sessions = 0;
  await intercept(page, '**/sandbox/v1/demo-session', async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    if (sessions++ === 0) answer.data.expiresAt = String(Date.now() + 60_000);
    await route.fulfill({ response, json: answer });
  });
  await page.evaluate("window.sameDocument = 'yes'");
  await signIn(page);
  const warning = page.getByRole('dialog', { name: 'Your session ends soon' });
  await warning.getByText(/It ends in (01:00|00:\d\d)/).waitFor();
  await warning.getByRole('button', { name: 'Later' }).click();
  await warning.waitFor({ state: 'hidden' });
  const mark = await markOf(at);
  await fillTicket(page, { side: 'Sell', price: String(mark + 400), size: '0.0123' });

  await later(page, 60_000);
  const again = page.getByRole('dialog', { name: 'Sign in' });
  await again.waitFor();
  await again.getByText('The session has ended').waitFor();
  expect(await page.getByRole('button', { name: /^Account main/ }).count()).toBe(0);
  await later(page, -60_000);
  await signIn(page);
  await again.waitFor({ state: 'hidden' });
  expect(await page.evaluate('window.sameDocument')).toBe('yes');
  await eventually(() => ticketButton(page).innerText()).toContain('Sell 0.0123 BTC at');
  await page.getByText('none, it rests').waitFor();
  await ticketButton(page).click();
  await eventually(() => openOrders(at)).toBe(1);
  expect(faults.filter((fault) => !fault.includes('status of 401'))).toEqual([]);
  await clearBooks(at);
  await page.context().close();
});

test('a session that somebody else has ended asks to sign in again, on a route beside Trade too', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const { page } = await at.open('/keys');
  await page.locator('header').getByRole('button', { name: 'Sign in' }).click();
  const answered = page.waitForResponse('**/sandbox/v1/demo-session');
  await signIn(page);
  const { accessKey } = (await (await answered).json()).data;
  await page.getByRole('form', { name: 'Create key' }).getByLabel('Name').fill('half typed');
  // As "Sign out" for this session in the settings of another browser.
  await at.own().signOut({ accessKey });
  await later(page, 15_000);
  await page.getByRole('dialog', { name: 'Sign in' }).waitFor();
  await later(page, -15_000);
  await signIn(page);
  const name = page.getByRole('form', { name: 'Create key' }).getByLabel('Name');
  expect(await name.inputValue()).toBe('half typed');
  await page.context().close();
});

test('a session that was ended while nothing is asked on Trade is noticed by its stream, and the market goes on', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const { page } = await at.open('/');
  const answered = page.waitForResponse('**/sandbox/v1/demo-session');
  await signIn(page);
  const { accessKey } = (await (await answered).json()).data;
  const status = page.locator('footer');
  await status.getByText('Live').waitFor();
  await at.own().signOut({ accessKey });
  const again = page.getByRole('dialog', { name: 'Sign in' });
  await again.getByText('The session has ended').waitFor();
  await status.getByText('Live').waitFor();
  await signIn(page);
  await again.waitFor({ state: 'hidden' });
  await page.context().close();
});

test('nothing of one account is shown as another’s while that is still asked', async ({ skip }) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const mark = await markOf(at);
  await trade(at.other(), at.own(), limit('SELL', '0.0141', String(mark)));
  const { page } = await at.open('/');
  await signIn(page);
  await page.getByRole('tab', { name: 'Trades', exact: true }).last().click();
  const traded = page
    .getByRole('table', { name: 'Trades', exact: true })
    .getByRole('cell', { name: '0.0141' });
  await traded.waitFor();
  await fillTicket(page, { side: 'Buy', price: String(mark - 100), size: '0.0142' });
  await page.getByText('none, it rests').waitFor();
  let answer = (): void => undefined;
  const isAsked = new Promise<void>((done) => {
    answer = done;
  });
  for (const path of ['**/v3/trades**', '**/v3/orders/preview']) {
    await intercept(page, path, async (route) => {
      await isAsked;
      await route.continue();
    });
  }
  await page.locator('.acct').click();
  await page.getByRole('button', { name: /^desk-a/ }).click();
  await page.getByRole('button', { name: /^Account desk-a/ }).waitFor();
  expect(await traded.count()).toBe(0);
  expect(await page.getByText('none, it rests').count()).toBe(0);
  // What was typed is nobody's but the user's.
  expect(await page.locator('#ticket-size').inputValue()).toBe('0.0142');
  answer();
  await page.getByText('No trade in the last 7 days').waitFor();
  await page.getByText('none, it rests').waitFor();
  // An order that is answered after its owner has turned to another account says whose it is.
  let place = (): void => undefined;
  const isSent = new Promise<void>((done) => {
    place = done;
  });
  await intercept(page, '**/v3/orders/place', async (route) => {
    await isSent;
    await route.continue();
  });
  await page.keyboard.press('Control+1');
  await page.getByRole('button', { name: /^Account main/ }).waitFor();
  await page.getByText('none, it rests').waitFor();
  await ticketButton(page).click();
  await page.keyboard.press('Control+2');
  await page.getByRole('button', { name: /^Account desk-a/ }).waitFor();
  place();
  await page.locator('.toast').getByText('Order taken, account main').waitFor();
  await clearBooks(at);
  await page.context().close();
});

test('what is answered to somebody who has signed out is not told to who signs in next', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const { page } = await at.open('/');
  await signIn(page);
  const price = String((await markOf(at)) - 100);
  const answers: ((submitted: boolean) => Promise<void>)[] = [];
  await intercept(page, '**/v3/orders/place', async (route) => {
    const submitted = await new Promise<boolean>((done) => {
      answers.push(async (taken) => done(taken));
    });
    const refused = { submitted, code: '710006', message: 'INSUFFICIENT' };
    const data = [submitted ? { submitted, status: 'OPEN' } : refused];
    await route.fulfill({ json: { success: true, event: 'placeOrder', data } });
  });
  const answered = () => page.waitForResponse('**/v3/orders/place');
  const signOut = async (): Promise<void> => {
    await page.getByRole('button', { name: /^Account main/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: /^Start as demo-1/ }).waitFor();
  };
  const signInAs = async (family: string): Promise<void> => {
    await page
      .getByRole('button', { name: `Start as ${family}` })
      .last()
      .click();
    await page.getByRole('button', { name: /^Account main/ }).waitFor();
  };
  const saysNothing = async (): Promise<void> => {
    // Longer than the page takes to show a message.
    await page.waitForTimeout(500);
    expect(await page.locator('.toast').allInnerTexts()).toEqual([]);
  };
  for (const taken of [true, false]) {
    await fillTicket(page, { side: 'Buy', price, size: '0.02' });
    await page.getByText('none, it rests').waitFor();
    await ticketButton(page).click();
    await eventually(async () => answers.length).toBe(1);
    await signOut();
    await signInAs('demo-2');
    const isAnswered = answered();
    await answers.pop()?.(taken);
    await isAnswered;
    await saysNothing();
    await signOut();
    await signInAs('demo-1');
  }
  // The same of a form that is not in view any more.
  const transfers: (() => void)[] = [];
  await intercept(page, '**/v3/transfer', async (route) => {
    await new Promise<void>((done) => transfers.push(done));
    await route.fulfill({ json: { success: true, data: {} } });
  });
  await page.locator('header').getByRole('link', { name: 'Wallet' }).click();
  await page.getByRole('tab', { name: 'Transfer', exact: true }).click();
  const form = page.getByRole('form', { name: 'Transfer' });
  await form.getByLabel('Amount').fill('1');
  await form.getByRole('button', { name: 'Transfer' }).click();
  await eventually(async () => transfers.length).toBe(1);
  await page.locator('header').getByRole('link', { name: 'Trade' }).click();
  await signOut();
  await signInAs('demo-2');
  const isTransferred = page.waitForResponse('**/v3/transfer');
  transfers.pop()?.();
  await isTransferred;
  await saysNothing();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await clearBooks(at);
  await page.context().close();
});

test('two tabs share the session: orders of one are in the other, and signing out in one signs out both', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const one = await at.open('/');
  const two = await at.openBeside(one.page, '/');
  await two.page.getByRole('button', { name: /^Start as demo-1/ }).waitFor();
  await signIn(one.page);
  // Nothing was pressed here.
  await two.page.getByRole('button', { name: /^Account main/ }).waitFor();
  const price = (await markOf(at)) - 250;
  const shown = price.toLocaleString('en-US');
  await fillTicket(one.page, { price: String(price), size: '0.02' });
  await one.page.getByText('none, it rests').waitFor();
  await ticketButton(one.page).click();
  for (const { page } of [one, two]) {
    await page.getByRole('tab', { name: /^Orders/ }).click();
    await page.getByRole('row', { name: new RegExp(shown) }).waitFor();
  }
  // Input in one ticket does not appear in another tab.
  expect(await two.page.locator('#ticket-size').inputValue()).toBe('');
  await two.page
    .getByRole('button', {
      name: new RegExp(`^Cancel buy 0\\.02.* at ${shown} in BTC`),
    })
    .click();
  for (const { page } of [one, two]) await page.getByText('No open order').waitFor();
  // To another account of the family, and back by keyboard; the other tab follows.
  const account = (name: string) => ({ name: new RegExp(`^Account ${name}`) });
  await one.page.getByRole('button', account('main')).click();
  await one.page.locator('#accounts').getByText('desk-a').click();
  for (const { page } of [one, two]) await page.getByRole('button', account('desk-a')).waitFor();
  await one.page.keyboard.press('Control+1');
  for (const { page } of [one, two]) await page.getByRole('button', account('main')).waitFor();
  await one.page.getByRole('button', account('main')).click();
  await one.page.getByRole('button', { name: 'Sign out' }).click();
  for (const { page } of [one, two]) {
    await page.getByRole('button', { name: /^Start as demo-1/ }).waitFor();
  }
  // What the venue has said to this user is not told to the next.
  expect(await one.page.locator('.toast').count()).toBe(0);
  await one.page.locator('header .bell').click();
  await one.page.getByText('Nothing was said yet.').waitFor();
  expect([...one.faults, ...two.faults]).toEqual([]);
  await one.page.context().close();
});

test('a setting that is changed in one tab counts in the others', async ({ skip }) => {
  const at = await sharedVenue(skip);
  const one = await at.open('/settings');
  const two = await at.openBeside(one.page, '/settings');
  const boxes = [one, two].map(({ page }) =>
    page.getByLabel('Cancel my orders when I am disconnected'),
  );
  let isOn = false;
  for (const box of boxes) {
    await box.click();
    isOn = !isOn;
    for (const each of boxes) await eventually(() => each.isChecked()).toBe(isOn);
  }
  expect([...one.faults, ...two.faults]).toEqual([]);
  await one.page.context().close();
});

test('a tab that nobody looks at goes on hearing, and shows what is true when it is looked at again', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.getByRole('tab', { name: /^Orders/ }).click();
  await page.getByText('No open order').waitFor();
  // A hidden tab has no frames.
  await page.evaluate(hide);
  const price = (await markOf(at)) - 150;
  await at.own().placeOrders({
    responseType: 'FULL',
    orders: [
      { marketCode: BTC, side: 'BUY', orderType: 'LIMIT', price: String(price), quantity: '0.01' },
    ],
  });
  await eventually(() =>
    page.evaluate(() => (globalThis as unknown as Hidden).waiting),
  ).toBeGreaterThan(0);
  expect(await page.getByText('No open order').count()).toBe(1);
  await page.evaluate(() => (globalThis as unknown as Hidden).reveal());
  await page.getByRole('row', { name: new RegExp(price.toLocaleString('en-US')) }).waitFor();
  await clearBooks(at);
  await endWalk(opened);
});

type Hidden = { readonly waiting: number; reveal(): void };

/** Resolves when the frames that were requested before have been drawn. */
function hide(): Promise<void> {
  const drawn = globalThis.requestAnimationFrame;
  const frames: FrameRequestCallback[] = [];
  const hidden = globalThis as unknown as { waiting: number; reveal: () => void };
  hidden.waiting = 0;
  Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
  globalThis.requestAnimationFrame = (frame) => {
    hidden.waiting = frames.push(frame);
    return 0;
  };
  hidden.reveal = () => {
    Reflect.deleteProperty(document, 'hidden');
    globalThis.requestAnimationFrame = drawn;
    for (const frame of frames) drawn(frame);
  };
  return new Promise((resolve) => {
    drawn(() => drawn(() => resolve()));
  });
}

test('whom an operator has invited sets a password on the page and is signed in', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const [operator] = at.handout.operators as [HandoutOperator, ...HandoutOperator[]];
  const admin = new RialtoClient({ baseUrl: at.handout.managementUrl, ...operator });
  const family = 'invited';
  await admin.call(createAccount, { family });
  const { token = '' } = await admin.call(inviteUser, { family });
  const { page, faults } = await at.open('/');
  await page.locator('header').getByRole('button', { name: 'Sign in' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.getByRole('button', { name: 'I have an invitation' }).click();
  await dialog.getByLabel('Password').fill('a longer password 1');
  const invitation = dialog.getByLabel('Invitation');
  await invitation.fill('a secret token');
  await dialog.getByRole('button', { name: 'I have an account' }).click();
  await expect(dialog.getByLabel('Name').inputValue()).resolves.toBe('');
  await dialog.getByRole('button', { name: 'I have an invitation' }).click();
  for (const sent of ['mistyped', token]) {
    await invitation.fill(sent);
    await dialog.getByRole('button', { name: 'Set password' }).click();
    if (sent !== token) await invitation.and(page.locator('[aria-invalid=true]')).waitFor();
  }
  await page.getByRole('button', { name: /^Account main/ }).waitFor();
  expect(faults.filter((fault) => !/status of 4\d\d/.test(fault))).toEqual([]);
  await page.context().close();
});

/** The example from Yubico's own manual: the content of a key's slot, and one of its codes. */
const SLOT = { privateId: '8792ebfe26cc', aesKey: 'ecde18dbe76fbd0c33330f1c354871db' };
const TOUCH = 'dteffujehknhfjbrjnlnldnhcujvddbikngjrtgh';

test('a stranger creates an account and protects it with a YubiKey', async ({ skip }) => {
  const at = await sharedVenue(skip);
  const { page, faults } = await at.open('/');
  await page.getByRole('button', { name: 'Create account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.getByLabel('Name').fill('grace');
  await dialog.getByLabel('Password').fill('short');
  await dialog.getByRole('button', { name: 'Create account' }).click();
  await dialog.locator('[name=password][aria-invalid=true]').waitFor();
  await dialog.getByRole('alert').filter({ hasText: 'password' }).waitFor();
  await dialog.getByLabel('Password').fill('a longer password 1');
  await dialog.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('button', { name: /^Account main/ }).click();
  await page.getByRole('button', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Enrol YubiKey' }).click();
  const keys = page.getByRole('form', { name: 'Go on' });
  await keys.getByLabel('Public id').fill(TOUCH.slice(0, 8));
  await keys.getByLabel('Private id').fill('8792');
  await keys.getByLabel('Secret key').fill(SLOT.aesKey);
  await keys.getByRole('button', { name: 'Go on' }).click();
  await keys.locator('[name=privateId][aria-invalid=true]').waitFor();
  await keys.getByLabel('Private id').fill(SLOT.privateId);
  await keys.getByRole('button', { name: 'Go on' }).click();
  const first = page.getByLabel('First code');
  await first.waitFor();
  // The key types its code and presses Enter.
  await first.pressSequentially(TOUCH);
  await first.press('Enter');
  const enrolled = page.getByRole('list', { name: 'Enrolled second factors' });
  await enrolled.getByText('YubiKey').waitFor();
  await enrolled.getByText('On').waitFor();
  expect(faults.filter((fault) => !/status of 4\d\d/.test(fault))).toEqual([]);
  await page.context().close();
});
