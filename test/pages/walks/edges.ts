import { expect, test } from 'vitest';
import { sidewaysAt } from '../axe.ts';
import { endWalk, openSignedIn, sharedVenue } from '../shared-venue.ts';
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
