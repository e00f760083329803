import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Handout, HandoutOperator } from '../../../src/cli/handout.ts';
import { RialtoClient } from '../../../src/client/index.ts';
import { addOperator } from '../../../src/wire/operator-venue.ts';
import { findingsOf, lookAs, sidewaysAt, visibleIn } from '../axe.ts';
import { later } from '../later.ts';
import { sharedVenue } from '../shared-venue.ts';
import { clientOf, eventually, type Opened, openPage, served } from '../venue.ts';

/** The operators' console, on a venue started with `dev`: it begins with a withdrawal on hold. */

let handout: Handout;

async function needBrowser(skip: (words: string) => void): Promise<Browser> {
  const venue = await sharedVenue(skip);
  handout = venue.handout;
  await served(handout.consoleUrl);
  return venue.browser;
}

const opened = new Map<string, Promise<Opened>>();

/** The console of an operator, in its own browser; each test continues where the previous one stopped. */
function consoleOf(in_: Browser, operator: HandoutOperator): Promise<Opened> {
  const known = opened.get(operator.name) ?? openAs(in_, operator);
  opened.set(operator.name, known);
  return known;
}

/** Within the page, as its own links do. */
const goTo = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(
    `history.pushState(null, '', '/console${path}'); dispatchEvent(new PopStateEvent('popstate'))`,
  );

/** Signed in, and recording faults. */
async function openAs(in_: Browser, operator: HandoutOperator): Promise<Opened> {
  const size = { width: 1440, height: 900 };
  const { page, faults } = await openPage(in_, handout.managementUrl, size);
  await page.goto(handout.consoleUrl);
  await page.getByLabel('Access key').fill(operator.accessKey);
  await page.getByLabel('Secret').fill(operator.secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Console' }).waitFor();
  return { page, faults };
}

const operatorAt = (at: number): HandoutOperator => handout.operators[at] as HandoutOperator;
/** Has all roles. */
const first = (): HandoutOperator => operatorAt(0);
/** May read, and release. */
const second = (): HandoutOperator => operatorAt(1);

/** The family that requested the withdrawal, as its user. */
const customer = (): RialtoClient => clientOf(handout, 1);

async function giveReason(page: Page, verb: string, reason: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  const send = dialog.getByRole('button', { name: verb });
  expect(await send.isDisabled()).toBe(true);
  await dialog.getByLabel('Reason, for the audit log').fill(reason);
  await send.click();
  await dialog.waitFor({ state: 'detached' });
}

test('to an operator who may not release it a withdrawal is another’s, without a button', async ({
  skip,
}) => {
  const in_ = await needBrowser(skip);
  const { managementUrl: baseUrl } = handout;
  const admin = new RialtoClient({ baseUrl, ...first() });
  const { accessKey, secret } = await admin.call(addOperator, { name: 'eve', roles: ['risk'] });
  const { page, faults } = await openAs(in_, { name: 'eve', accessKey, secret, roles: ['risk'] });
  await goTo(page, '/withdrawals');
  await page
    .getByRole('row', { name: /1,000 SOL/ })
    .getByText('Another’s')
    .waitFor();
  await page.getByText('Releasing it takes treasury or admin.').waitFor();
  expect(await page.getByRole('button', { name: /^Release/ }).count()).toBe(0);
  expect(faults).toEqual([]);
  await page.context().close();
});

test('one operator releases and waits, another releases too, and the user sees it completed', async ({
  skip,
}) => {
  const in_ = await needBrowser(skip);
  const [one, two] = await Promise.all([consoleOf(in_, first()), consoleOf(in_, second())]);
  await one.page.getByRole('button', { name: 'Release as first…' }).click();
  await giveReason(one.page, 'Release as first', 'known to us');
  await one.page.getByText('Waiting for a second, different operator').waitFor();
  expect(await one.page.getByRole('button', { name: /^Release/ }).count()).toBe(0);
  const [held] = await customer().withdrawals({ asset: 'SOL' });
  expect(held?.status).toBe('ON HOLD');

  // The other one uses the search, which leads to the case.
  await two.page.locator('body').press('/');
  await two.page.keyboard.type(held?.id ?? '');
  await two.page.keyboard.press('Enter');
  await two.page.waitForURL(`**/console/withdrawals/${held?.id}**`);
  await two.page.getByRole('listitem').filter({ hasText: 'local' }).first().waitFor();
  await two.page.reload();
  await two.page.getByRole('button', { name: 'Release as second…' }).click();
  await giveReason(two.page, 'Release as second', 'called back, agreed');
  // It leaves the list of unfinished ones, and its case says how it ended.
  await two.page.getByText('Completed', { exact: true }).first().waitFor();
  await two.page.getByText('called back, agreed').waitFor();
  await one.page.getByText('No withdrawal waits for an operator.').waitFor();
  const status = async () => (await customer().withdrawals({ asset: 'SOL' }))[0]?.status;
  await eventually(status).toBe('COMPLETED');
  expect([...one.faults, ...two.faults]).toEqual([]);
});

test('a market is halted by who types its code, and by nobody without the role', async ({
  skip,
}) => {
  const in_ = await needBrowser(skip);
  const { page, faults } = await consoleOf(in_, first());
  await goTo(page, '/markets');
  await page.getByRole('button', { name: /^Halt/ }).click();
  const dialog = page.getByRole('dialog');
  expect(await findingsOf(page, 'halt')).toEqual([]);
  await dialog.getByLabel('Market').selectOption('ETH-USDT');
  await dialog.getByLabel('Reason, for the audit log').fill('the index is in doubt');
  const halt = dialog.getByRole('button', { name: 'Halt ETH-USDT' });
  await dialog.getByLabel(/^Type/).fill('ETH-USD');
  expect(await halt.isDisabled()).toBe(true);
  await dialog.getByLabel(/^Type/).fill('ETH-USDT');
  await halt.click();
  await dialog.waitFor({ state: 'detached' });
  const row = page.getByRole('table', { name: 'Markets' }).getByRole('row', { name: /ETH-USDT/ });
  await row.getByText('Halted').waitFor();
  await row.getByText('the index is in doubt').waitFor();
  const terms = page.getByRole('table', { name: 'Terms of markets' });
  await terms.getByRole('button', { name: 'Change the tick of ETH-USDT' }).click();
  await dialog.getByLabel('Tick').fill('0.00000000001');
  await dialog.getByLabel('Reason, for the audit log').fill('fewer prices');
  await dialog.getByRole('button', { name: /^Set the tick/ }).click();
  await dialog.getByText('more than 8 decimals').waitFor();
  // The browser itself logs every refused request, with a delay.
  await eventually(async () => faults.length).toBe(1);
  expect(faults.splice(0)).toEqual([expect.stringContaining('status of 400')]);
  await dialog.getByLabel('Tick').fill('0.5');
  await dialog.getByRole('button', { name: 'Set the tick to 0.5' }).click();
  await dialog.waitFor({ state: 'detached' });
  await terms.getByRole('row', { name: /ETH-USDT .*0\.5/ }).waitFor();
  await goTo(page, '/audit?word=doubt');
  await page.getByRole('row', { name: /local.*ETH-USDT.*HALTED/ }).waitFor();
  expect(faults).toEqual([]);

  const other = await consoleOf(in_, second());
  // Grey, and it names the role; nobody fills in a form that cannot be sent.
  const denied = other.page.getByRole('button', {
    name: /^Halt/,
    description: 'Takes risk or admin',
  });
  expect(await denied.getAttribute('class')).toContain('denied');
  await denied.click();
  await other.page.getByText('it takes risk or admin').waitFor();
  expect(await other.page.getByLabel('Reason, for the audit log').isDisabled()).toBe(true);
  expect(other.faults).toEqual([]);
  await other.page.context().close();
});

test('a wrong secret is refused in the venue’s own words, and no key outlives its tab', async ({
  skip,
}) => {
  const in_ = await needBrowser(skip);
  const size = { width: 1440, height: 900 };
  const { page } = await openPage(in_, handout.managementUrl, size);
  const context = page.context();
  await page.goto(`${handout.consoleUrl}/risk`);
  await page.getByLabel('Access key').fill(first().accessKey);
  await page.getByLabel('Secret').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page
    .getByRole('alert')
    .filter({ hasText: /^\d{5}: / })
    .waitFor();
  await page.getByLabel('Secret').fill(first().secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Risk' }).waitFor();
  const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])');
  expect(kept).not.toContain(first().secret);
  expect(kept).not.toContain(first().accessKey);
  // Unanswered figures look old, and say since when.
  await context.setOffline(true);
  await later(page, 4_000);
  await page.getByText(/^Nothing heard since \d\d:/).waitFor();
  await page
    .getByText(/^as of \d\d:/)
    .first()
    .waitFor();
  await context.setOffline(false);
  await page.getByText('Every invariant holds').waitFor();
  const beside = await context.newPage();
  await beside.goto(handout.consoleUrl);
  await beside.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await context.close();
});

test('every address of the console is answered under the strict policy, never from a cache', async ({
  skip,
}) => {
  await needBrowser(skip);
  for (const path of ['', '/withdrawals/98', '/nowhere/at/all']) {
    const { status, headers } = await fetch(handout.consoleUrl + path);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
  }
  // Traders cannot even load it.
  expect((await fetch(`${handout.baseUrl}/console`)).status).toBe(404);
  expect((await fetch(handout.managementUrl)).url).toBe(handout.consoleUrl);
});

/** With text that appears once the venue has answered. */
const ROUTES = [
  ['', 'oldest waits|nobody waits|No withdrawal waits'],
  ['/withdrawals', 'Nothing yet.|What operators did|No withdrawal'],
  ['/deposits', 'No deposit waits'],
  ['/risk', 'Nobody has agreed'],
  ['/markets', 'XRP-USDT'],
  ['/accounts/30014', 'Maintenance margin'],
  ['/solvency', 'Networks and fees'],
  ['/audit', 'set operator'],
  ['/health', 'Journal sync, middle'],
  ['/search?q=demo', 'demo-2'],
] as const;

/** Buttons that extend beyond the edge of the window. */
const buttonsBeside = (): string[] =>
  [...document.querySelectorAll('main button')]
    .filter((button) => button.getBoundingClientRect().right > document.documentElement.clientWidth)
    .map((button) => button.ariaLabel ?? button.textContent);

/** Menus that are narrower than their options. */
const narrowMenus = (): string[] =>
  [...document.querySelectorAll('main select')]
    .filter((menu) => {
      const copy = menu.cloneNode(true) as HTMLSelectElement;
      copy.style.cssText = 'position: absolute; width: auto;';
      menu.parentElement?.append(copy);
      const isNarrow = copy.offsetWidth > (menu as HTMLSelectElement).offsetWidth;
      copy.remove();
      return isNarrow;
    })
    .map((menu) => (menu as HTMLSelectElement).labels?.[0]?.textContent ?? menu.outerHTML);

test('the steps of liquidations are whole: what was closed, what the fund has paid, and the button', async ({
  skip,
}) => {
  const { page } = await consoleOf(await needBrowser(skip), first());
  const step = {
    ...{ family: 'demo-1', name: 'main', accountId: '30011', event: 'STEP', phase: 'BACKSTOP' },
    ...{ marketCode: 'BTC-USD-SWAP-LIN', sliceQuantity: '12.3456', filledQuantity: '12.3456' },
    ...{ help: '123456.1234', createdAt: String(Date.now()) },
  };
  const data = [2, 1].map((id) => ({ ...step, id: String(id) }));
  await page.route('**/operator/v1/liquidations**', (route) =>
    route.fulfill({ json: { success: true, data } }),
  );
  await goTo(page, '/risk');
  await page.getByRole('button', { name: 'Steps of account 30011' }).first().click();
  await page.getByRole('table', { name: 'Liquidation, step by step' }).waitFor();
  const cut = () =>
    page
      .locator('main section.scroll')
      .evaluateAll((lists) =>
        lists
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map((list) => list.getAttribute('aria-label')),
      );
  for (const width of [1920, 1440, 1400, 1280, 1024]) {
    await page.setViewportSize({ width, height: 900 });
    expect({ width, cut: await cut() }).toEqual({ width, cut: [] });
  }
  await page.unrouteAll();
});

test('the accounts of a family are gone through by keyboard: it stays while one of them is asked for', async ({
  skip,
}) => {
  const { page } = await consoleOf(await needBrowser(skip), first());
  await goTo(page, '/accounts/30011');
  const link = page.getByRole('link', { name: '30012', exact: true });
  await link.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Account 30012' }).waitFor();
  expect(await link.evaluate((one) => one === document.activeElement)).toBe(true);
});

test('axe finds nothing on any route, dark on a desk and light on a phone in turns; none scrolls sideways', async ({
  skip,
}) => {
  const { page, faults } = await consoleOf(await needBrowser(skip), first());
  const found: string[] = [];
  for (const [turn, [path, words]] of ROUTES.entries()) {
    await goTo(page, path);
    await visibleIn(page, new RegExp(words)).waitFor();
    expect(await page.locator('h1').count()).toBe(1);
    for (const width of [1280, 1024, 768, 360]) {
      await page.setViewportSize({ width, height: 900 });
      found.push(...(await sidewaysAt(page, `${path} ${width}`)));
    }
    // The last and narrowest width: buttons for an incident must be visible without scrolling the table.
    found.push(
      ...(await page.evaluate(buttonsBeside)).map((words) => `${path}: ${words} is cut off`),
      ...(await page.evaluate(narrowMenus)).map((words) => `${path}: ${words} is too narrow`),
    );
    // `npm run pages` checks every route in every theme and width.
    const [theme, width] = turn % 2 === 0 ? (['dark', 1440] as const) : (['light', 360] as const);
    const look = await lookAs(page, theme, width);
    found.push(...(await findingsOf(page, `${path} ${look}`)));
  }
  expect(found).toEqual([]);
  expect(faults).toEqual([]);
  for (const [name, one] of opened) {
    await (await one).page.context().close();
    opened.delete(name);
  }
});
