import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { limit, trade } from '../../http/trading.ts';
import { codeAt } from '../authenticator.ts';
import { findingsOf, lookAs } from '../axe.ts';
import { later } from '../later.ts';
import { endWalk, openSignedIn, ownFaults, sharedVenue } from '../shared-venue.ts';
import { eventually, intercept, type Opened, type PageVenue } from '../venue.ts';

/** The routes other than Trade in a real browser, on a venue as `npm start` starts it. */

const balance = (page: Page, asset: string) =>
  page.getByRole('table', { name: 'Balances' }).getByRole('row').filter({ hasText: asset }).first();

const withdraw = async (page: Page, quantity: string, code: string): Promise<void> => {
  const form = page.getByRole('form', { name: 'Withdraw USDT' });
  await form.getByLabel('Amount').fill(quantity);
  await form.getByLabel(/^Code of your/).fill(code);
  await form.getByRole('button', { name: 'Withdraw USDT' }).click();
};

/** No two consecutive readings of the clock are in the same millisecond. */
const tickBetweenReadings = (): void => {
  const now = Date.now.bind(Date);
  let readings = 0;
  Date.now = () => now() + (readings++ % 2);
};

type Noted = { noted: number[] };

const noteConfirmations = (): void => {
  const kept = globalThis as unknown as Noted;
  kept.noted = [];
  new MutationObserver(() => {
    const shown = /(\d+) of 12/.exec(document.querySelector('.pg-arriving')?.textContent ?? '');
    if (shown !== null) kept.noted.push(Number(shown[1]));
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
};

test("what each asset is worth and adds to the collateral stands beside it, in the venue's figures", async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const opened = await openSignedIn(at, '/wallet');
  const { page } = opened;
  const [account] = await at.own().account();
  const held = account?.balances.find(({ asset }) => asset === 'BTC');
  const expected = [held?.value, held?.collateralValue].map((native) => `${native} OX`);
  expect(expected[0]).not.toBe(expected[1]);
  const shown = () =>
    Promise.all(
      ['Value', 'Collateral'].map(async (name) => {
        const heads = await page.getByRole('table', { name: 'Balances' }).locator('th').all();
        const names = await Promise.all(heads.map((head) => head.textContent()));
        const at = names.findIndex((text) => text?.startsWith(name));
        return balance(page, 'BTC').locator('td').nth(at).locator('span').getAttribute('title');
      }),
    );
  await balance(page, 'BTC').waitFor();
  await eventually(shown).toEqual(expected);
  await page.getByRole('link', { name: 'Trade', exact: true }).click();
  await page.getByRole('tab', { name: 'Balances' }).click();
  await balance(page, 'BTC').waitFor();
  await eventually(shown).toEqual(expected);
  // On a phone each row is a card: all of it is visible.
  await page.setViewportSize({ width: 360, height: 800 });
  const hidden = () =>
    page.locator('.blotter .scroll').evaluate((box) => box.scrollWidth - box.clientWidth);
  await eventually(hidden).toBe(0);
  await endWalk(opened);
});

test('a test deposit counts up and is credited without a reload', async ({ skip }) => {
  const at = await sharedVenue(skip);
  const opened = await openSignedIn(at, '/wallet');
  const { page } = opened;
  await balance(page, 'USDT').waitFor();
  const held = async (): Promise<number> => {
    const [account] = await at.own().balances({ asset: 'USDT' });
    return Number(account?.balances[0]?.total);
  };
  const before = await held();
  // Twelve blocks take a second: every shown state is recorded. A busy machine may show only the last.
  await page.evaluate(noteConfirmations);
  const rows = page.getByRole('table', { name: 'Deposits' }).getByRole('row');
  const noted = () => page.evaluate(() => (globalThis as unknown as Noted).noted);
  let seen: number[] = [];
  for (let sent = 1; sent <= 4 && seen.length === 0; sent++) {
    await page.getByRole('button', { name: 'Send me 1,000 test USDT' }).click();
    const total = (before + 1_000 * sent).toLocaleString('en-US');
    await balance(page, 'USDT').getByText(total).first().waitFor();
    await rows.filter({ hasText: 'Completed' }).nth(sent).waitFor();
    seen = await noted();
  }
  expect(seen.length).toBeGreaterThan(0);
  expect(seen).toEqual([...seen].sort((one, other) => one - other));
  await endWalk(opened);
});

let tried: Promise<Tried> | undefined;
type Tried = Opened & { readonly secret: string };

/**
 * Enrols a factor and sends a wrong code, in its own tab. The venue answers after 10 s: other walks do not
 * wait for that; the last one of this file checks the answer.
 */
const sendWrongCode = (at: PageVenue): Promise<Tried> => {
  tried ??= (async () => {
    const { page: first } = await openSignedIn(at, '/settings');
    const opened = await at.openBeside(first, '/settings');
    const { page } = opened;
    await page.evaluate(tickBetweenReadings);
    await page.getByRole('button', { name: 'Enrol Authenticator' }).click();
    const secret = await page.locator('[data-secret]').getAttribute('data-secret');
    await page.getByRole('img', { name: 'QR code for the authenticator' }).waitFor();
    await page.getByLabel('First code').fill(codeAt(secret as string, Date.now()));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('list', { name: 'Enrolled second factors' }).getByText('On').waitFor();
    await page.getByRole('link', { name: 'Wallet' }).first().click();
    await page.getByRole('tab', { name: 'Withdraw', exact: true }).click();
    const code = Number(codeAt(secret as string, Date.now()));
    await withdraw(page, '25', String((code + 500_000) % 1_000_000).padStart(6, '0'));
    return { ...opened, secret: secret as string };
  })();
  return tried;
};

test('a factor is enrolled, and a wrong code is counted down', async ({ skip }) => {
  const { page } = await sendWrongCode(await sharedVenue(skip));
  await page.getByRole('button', { name: 'Sending…' }).waitFor();
  await later(page, 1_500);
  await page.getByText(/a wrong code is answered after 10 s. \d+ s left/).waitFor();
});

test('the fee, what arrives and the margin after it are shown before anything is sent', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const offered = limit('SELL', '1', '60000');
  await trade(at.other(), at.own(), offered);
  const opened = await openSignedIn(at, '/wallet#withdraw');
  const { page } = opened;
  await page.getByRole('combobox', { name: 'Asset' }).selectOption('BTC');
  await page.getByLabel('Amount').fill('99');
  const facts = page.getByRole('form', { name: 'Withdraw BTC' }).locator('.pg-lines');
  await facts.getByText('→').waitFor();
  await facts.getByText(/^98\.9\d* BTC$/).waitFor();
  await page.getByRole('tab', { name: 'Transfer', exact: true }).click();
  const form = page.getByRole('form', { name: 'Transfer' });
  await form.getByLabel('Amount').fill('5.5');
  await form.getByText('→').nth(1).waitFor();
  // Until the answer arrives, what was sent can be read but not changed.
  const { promise: mayGoOn, resolve: letGoOn } = Promise.withResolvers<void>();
  await intercept(page, '**/v3/transfer', async (route) => {
    await mayGoOn;
    await route.continue();
  });
  await form.getByRole('button', { name: 'Transfer' }).click();
  await form.locator('fieldset:disabled').waitFor({ state: 'attached' });
  expect(await form.getByLabel('Amount').isDisabled()).toBe(true);
  expect(await form.getByLabel('Amount').inputValue()).toBe('5.5');
  letGoOn();
  await form.locator('fieldset:enabled').waitFor({ state: 'attached' });
  await balance(page, 'BTC').getByText('94.5').first().waitFor();
  await endWalk(opened);
});

test('a sub-account is created, renamed and frozen; a refusal stands at its field', async ({
  skip,
}) => {
  const opened = await openSignedIn(await sharedVenue(skip), '/accounts');
  const { page } = opened;
  const form = page.getByRole('form', { name: 'Create sub-account' });
  await form.getByLabel('Name').fill('-wrong-');
  await form.getByRole('button').click();
  // The input is still there, and has the focus.
  await form.locator('[name=name][aria-invalid=true]:focus').waitFor();
  expect(await form.getByLabel('Name').inputValue()).toBe('-wrong-');
  await form.getByLabel('Name').fill('desk-x');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Rename desk-x' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('New name').fill('desk-y');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('button', { name: 'Freeze desk-y' }).click();
  // The safe button has the focus: Enter freezes nothing.
  await dialog.getByRole('button', { name: 'Keep' }).and(page.locator(':focus')).waitFor();
  await dialog.getByRole('button', { name: 'Freeze' }).click();
  const row = page.getByRole('row', { name: /desk-y/ });
  await row.getByText('Frozen').waitFor();
  await endWalk(opened);
});

test('the signed request beside a new key works when it is pasted, and no longer once it is revoked', async ({
  skip,
}) => {
  const opened = await openSignedIn(await sharedVenue(skip), '/keys');
  const { page } = opened;
  await page.getByRole('form', { name: 'Create key' }).getByLabel('Name').fill('my bot');
  await page.getByRole('button', { name: 'Create key' }).click();
  const curl = await page.locator('pre').innerText();
  const paste = (): string =>
    execFileSync('bash', ['-c', `${curl} -w '\\n%{http_code}'`], { encoding: 'utf8' });
  const [body, status] = paste().split('\n');
  expect([status, JSON.parse(body as string).data[0].name]).toEqual(['200', 'main']);
  await page.getByRole('button', { name: 'I have it' }).click();
  expect(await page.locator('pre').count()).toBe(0);
  await page.getByRole('button', { name: 'Revoke my bot' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('row', { name: /my bot/ }).waitFor({ state: 'detached' });
  expect(paste().split('\n').at(-1)).toBe('401');
  await endWalk(opened);
});

type Collected = { readonly written: string };

/** A file that the test can read: what the browser would write to disk. */
const collectFiles = (): void => {
  const kept = globalThis as unknown as { written: string; showSaveFilePicker: unknown };
  kept.written = '';
  kept.showSaveFilePicker = async () => ({
    createWritable: async () => ({
      write: async (text: string) => {
        kept.written += text;
      },
      close: async () => undefined,
    }),
  });
};

const unquoted = (cell: string): string =>
  cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;

test('a history holds few rows in the document, reads on as it is scrolled, and saves every row', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const client = at.own();
  await trade(at.other(), client, limit('SELL', '0.01', '60050'));
  const order = limit('BUY', '0.001', '55000', { timeInForce: 'IOC' });
  for (let batch = 0; batch < 33; batch++) {
    await client.placeOrders({
      responseType: 'ACK',
      orders: Array.from({ length: 8 }, () => order),
    });
  }
  const opened = await openSignedIn(at, '/history');
  const { page } = opened;
  await page.evaluate(collectFiles);
  await page.getByText('Immediate or cancel, nothing matched').first().waitFor();
  expect(await page.locator('.pg-window tbody tr').count()).toBeLessThan(80);
  const scrolled = async (): Promise<number> => {
    await page.locator('.pg-window').evaluate((box) => box.scrollTo(0, box.scrollHeight));
    return Number(await page.getByRole('table').getAttribute('aria-rowcount'));
  };
  await eventually(scrolled).toBeGreaterThan(260);
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  await page.getByText(/^\d+ rows saved$/).waitFor();
  const text = await page.evaluate(() => (globalThis as unknown as Collected).written);
  const [heads, ...lines] = text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(',').map(unquoted));
  const rows = await client.closedOrders({ limit: '200' });
  for (let older = rows; older.length > 0; rows.push(...older)) {
    older = await client.closedOrders({ limit: '200', beforeId: rows.at(-1)?.id as string });
  }
  const expected = rows.map((row) =>
    (heads as string[]).map((name) => {
      const sent = (row as unknown as Record<string, unknown>)[name] ?? '';
      const value = typeof sent === 'object' ? JSON.stringify(sent) : String(sent);
      return name.endsWith('At') && value !== '' ? new Date(Number(value)).toISOString() : value;
    }),
  );
  expect(lines).toEqual(expected);
  await page.getByRole('tab', { name: 'Trades' }).click();
  await page.getByRole('row', { name: /60,050/ }).waitFor();
  expect(new URL(page.url()).search).toBe('?kind=trades');
  await endWalk(opened);
});

test('the portfolio draws equity and what was realised, by pointer and by arrow keys', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const [one, other] = [at.own(), at.other()];
  // Long in the end, whatever it was before.
  await trade(other, one, limit('SELL', '5', '60100'));
  await trade(one, other, limit('SELL', '0.5', '60200'));
  const opened = await openSignedIn(at, '/portfolio');
  const { page } = opened;
  const chart = page.getByRole('slider', { name: 'Equity, 7 d' });
  await chart.waitFor();
  await page.getByRole('radio', { name: 'Realised PnL' }).click();
  const bars = page.getByRole('slider', { name: 'Realised PnL, 7 d' });
  await bars.locator('rect').first().waitFor();
  await bars.focus();
  await page.keyboard.press('End');
  expect(await bars.getAttribute('aria-valuetext')).toMatch(/^\d{4}-\d\d-\d\d \d\d:00 \S+ OX$/);
  await page.getByRole('table', { name: 'Equity by account' }).getByText('desk-b').waitFor();
  await page.getByRole('table', { name: 'Positions' }).getByText('Long').waitFor();
  // No figure is cut, at any width.
  for (const width of [1_440, 1_280, 1_024, 768, 360]) {
    await page.setViewportSize({ width, height: 900 });
    const cut = await page
      .locator('.pg-figures dd')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
    expect(cut, `${width}`).toBe(0);
  }
  await endWalk(opened);
});

test('axe finds nothing on the other tabs and in dialogs, dark on a desk and light on a phone in turns', async ({
  skip,
}) => {
  const opened = await openSignedIn(await sharedVenue(skip), '/wallet#withdraw');
  const { page } = opened;
  const found: string[] = [];
  let turn = 0;
  const look = async (where: string): Promise<void> => {
    const [theme, width] = turn++ % 2 === 0 ? (['dark', 1440] as const) : (['light', 360] as const);
    found.push(...(await findingsOf(page, `${where} ${await lookAs(page, theme, width)}`)));
    await page.setViewportSize({ width: 1440, height: 900 });
  };
  for (const tab of ['Withdraw', 'Transfer', 'Addresses'] as const) {
    await page.getByRole('tab', { name: tab, exact: true }).click();
    await look(tab);
  }
  await page.getByRole('button', { name: /^Turn (on|off)$/ }).click();
  await look('dialog');
  await page.getByRole('button', { name: 'Keep' }).click();
  await page.getByRole('link', { name: 'Sub-accounts' }).click();
  await page.getByRole('row', { name: /desk-a/ }).waitFor();
  await look('sub-accounts');
  expect(found).toEqual([]);
  await endWalk(opened);
});

test('a wrong code is refused, a right one is followed to Completed', async ({ skip }) => {
  const { page, faults, secret } = await sendWrongCode(await sharedVenue(skip));
  const refused = page.getByLabel(/^Code of your/).and(page.locator('[aria-invalid=true]'));
  await refused.waitFor();
  await page.getByText('Invalid code').waitFor();

  // The code of the next step: the current one may have enrolled the factor, and counts only once.
  await withdraw(page, '25', codeAt(secret, Date.now() + 30_000));
  const progress = page.getByRole('article', { name: 'Withdrawal of 25 USDT' });
  await progress.getByText('Requested').waitFor();
  await progress.locator('li.done', { hasText: 'Completed' }).waitFor();
  await progress.getByText('Transaction').waitFor();
  await progress.getByRole('button', { name: 'Dismiss the withdrawal of 25 USDT' }).click();
  await progress.waitFor({ state: 'detached' });
  expect(ownFaults(faults)).toEqual([]);
  await page.close();
});
