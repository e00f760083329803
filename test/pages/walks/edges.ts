import { expect, test } from 'vitest';
import { limit, place } from '../../http/trading.ts';
import { sidewaysAt } from '../axe.ts';
import { clearBooks, endWalk, markOf, openSignedIn, sharedVenue } from '../shared-venue.ts';
import { eventually } from '../venue.ts';

/** Controls that go away, very long names, very long figures. */

test('when the control in use goes away, the keyboard goes on from what took its place', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const opened = await openSignedIn(at, '/accounts');
  const { page } = opened;
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  for (const [act, opposite] of [
    ['Freeze', 'Wake'],
    ['Wake', 'Freeze'],
  ] as const) {
    await page.getByRole('button', { name: `${act} desk-b` }).press('Enter');
    const sure = page.getByRole('dialog').getByRole('button', { name: act, exact: true });
    await sure.press('Enter');
    await eventually(focused).toBe(`${opposite} desk-b`);
  }
  // Inside a dialog it stays there.
  await page.getByRole('button', { name: 'Rename desk-b' }).press('Enter');
  const renaming = page.getByRole('dialog');
  await renaming.getByRole('button', { name: 'Keep' }).focus();
  await renaming.getByRole('button', { name: 'Keep' }).evaluate((button) => button.remove());
  await eventually(() =>
    page.evaluate(() => document.activeElement?.closest('dialog') !== null),
  ).toBe(true);
  await endWalk(opened);
});

test('what arrow keys select in the search is in sight, also while the pointer rests on it', async ({
  skip,
}) => {
  const opened = await openSignedIn(await sharedVenue(skip), '/');
  const { page } = opened;
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.keyboard.press('Control+k');
  const list = page.getByRole('listbox', { name: 'Results' });
  const box = await list.boundingBox();
  await page.mouse.move((box?.x ?? 0) + 40, (box?.y ?? 0) + 60);
  const options = await list.getByRole('option').count();
  const seen = new Set<string>();
  for (let pressed = 0; pressed < options; pressed++) {
    await page.keyboard.press('ArrowDown');
    const selected = await list.getByRole('option', { selected: true }).evaluate((option) => {
      const [own, whole] = [option, option.parentElement as Element].map((one) =>
        one.getBoundingClientRect(),
      ) as [DOMRect, DOMRect];
      return own.top >= whole.top - 1 && own.bottom <= whole.bottom + 1 ? option.id : 'hidden';
    });
    seen.add(selected);
  }
  expect(seen.has('hidden')).toBe(false);
  expect(seen.size).toBe(options);
  await page.keyboard.press('Escape');
  await endWalk(opened);
});

test('an account with the longest name has room in the header and above its figures', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  const found: string[] = [];
  for (const width of [1440, 1024, 768]) {
    await page.setViewportSize({ width, height: 900 });
    const names = page.locator('.acct .who:first-child b, .purse .ttl span');
    expect(await names.count()).toBeGreaterThan(0);
    await names.evaluateAll((all) => {
      for (const one of all) one.textContent = 'W'.repeat(40);
    });
    found.push(...(await sidewaysAt(page, String(width))));
    const unseen = await page
      .locator('header button, header a, .purse .bar select')
      .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().right > innerWidth));
    expect(unseen).toEqual([]);
  }
  expect(found).toEqual([]);
  // A key may have one, too; what can be done with it stays in sight.
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${at.baseUrl}/keys`);
  const revoke = page.getByRole('button', { name: /^Revoke/ }).first();
  await revoke.waitFor();
  expect(await page.locator('.pg-two b').count()).toBeGreaterThan(0);
  await page.locator('.pg-two b').evaluateAll((all) => {
    for (const one of all) one.textContent = 'W'.repeat(40);
  });
  const beyond = (button: Element): number =>
    button.getBoundingClientRect().right -
    (button.closest('section')?.getBoundingClientRect().right ?? 0);
  expect(await revoke.evaluate(beyond)).toBeLessThan(0);
  await endWalk(opened);
});

test('at a zoom of 400 percent no bar covers the page, and the largest sums are whole', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  await page.setViewportSize({ width: 360, height: 225 });
  const bars = page.locator('.tabbar, .dock');
  expect(await bars.count()).toBeGreaterThan(0);
  const covered = await bars.evaluateAll(
    (all) => all.filter((one) => getComputedStyle(one).position === 'fixed').length,
  );
  expect(covered).toBe(0);
  await page.goto(`${at.baseUrl}/wallet`);
  const figures = page.locator('.pg-figures dd:not(:last-child), .pg-figures dd:only-of-type');
  await figures.first().waitFor();
  for (const width of [360, 768, 1024]) {
    await page.setViewportSize({ width, height: 780 });
    const cut = await figures.evaluateAll((all) => {
      for (const one of all) one.textContent = '81,826,951,058,282,123 OX';
      return all.filter((one) => one.scrollWidth > one.clientWidth).length;
    });
    expect(cut).toBe(0);
  }
  await endWalk(opened);
});

/** What is pressed on the trade view, with less than 44 px in height or, for icons and figures, in width. */
function smallForFingers(): string[] {
  const controls =
    '.tf, .views .tab, .blotter > .bar :is(.tab, .btn), .market .pick, .blotter .edit, .acts2 .btn';
  const all = [...document.querySelectorAll(controls)].filter((one) => one.checkVisibility());
  return all.flatMap((one) => {
    const { width, height: own } = one.getBoundingClientRect();
    const around = Number.parseFloat(getComputedStyle(one, '::before').height) || 0;
    const height = Math.max(own, around);
    const isNarrow = one.matches('.btn.icon, .edit, .tab') && width < 43.9;
    const words = `${one.className} ${one.ariaLabel ?? one.textContent}`;
    return height < 43.9 || isNarrow ? [`${words}: ${width} x ${height}`] : [];
  });
}

test('under a finger targets have 44 px; on a phone keys are cards that can be told apart', async ({
  skip,
}) => {
  const at = await sharedVenue(skip);
  await clearBooks(at);
  await place(at.own(), limit('BUY', '0.01', String((await markOf(at)) - 900)));
  const opened = await openSignedIn(at, '/');
  const { page } = opened;
  const device = await page.context().newCDPSession(page);
  await device.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  await page.getByRole('tab', { name: /^Orders/ }).click();
  await page.getByRole('button', { name: /^Cancel buy/ }).waitFor();
  for (const width of [360, 820, 1180]) {
    await page.setViewportSize({ width, height: 800 });
    expect([width, await page.evaluate(smallForFingers)]).toEqual([width, []]);
    expect(await sidewaysAt(page, String(width))).toEqual([]);
  }
  await device.send('Emulation.setTouchEmulationEnabled', { enabled: false });
  await device.detach();
  await page.setViewportSize({ width: 360, height: 780 });
  await page.goto(`${at.baseUrl}/keys`);
  const cards = page.getByRole('table', { name: 'Keys' }).locator('tbody tr');
  const [known] = await at.own().apiKeys();
  const card = cards.filter({ hasText: known?.accessKey ?? 'none' });
  await card.getByText(known?.name ?? 'none').waitFor();
  const cut = await cards
    .locator('td, td *')
    .evaluateAll(
      (all) =>
        all.filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0).length,
    );
  expect(cut).toBe(0);
  for (const words of ['Account', 'May', 'Last use']) {
    expect(await card.locator(`td[data-name="${words}"]`).isVisible()).toBe(true);
  }
  // What can be done in a row is in sight, beside the form and below it.
  for (const width of [360, 720, 768, 1024, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const [route, act] of [
      ['/keys', 'Revoke'],
      ['/accounts', 'Freeze'],
    ] as const) {
      await page.goto(at.baseUrl + route);
      const last = page.getByRole('button', { name: new RegExp(`^${act}`) }).last();
      await last.waitFor();
      const box = await last.boundingBox();
      const list = await page.locator('.pg-scroll').first().boundingBox();
      const beyond = Math.max(0, right(box) - right(list));
      expect({ width, route, beyond }).toEqual({ width, route, beyond: 0 });
    }
  }
  await clearBooks(at);
  await endWalk(opened);
});

type Box = { readonly x: number; readonly width: number };
const right = (box: Box | null): number => (box?.x ?? 0) + (box?.width ?? 0);
