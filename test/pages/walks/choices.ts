import { expect, test } from 'vitest';
import { endWalk, openSignedIn, sharedVenue } from '../shared-venue.ts';

/** Boxes and menus must keep what the user chose. */

const PATHS = ['/', '/portfolio', '/wallet', '/keys', '/accounts', '/history', '/settings'];

test('what is chosen in any box or menu shows in the task of the choice', async ({ skip }) => {
  const opened = await openSignedIn(await sharedVenue(skip), '/');
  const { page } = opened;
  await page.locator('.ticket .go').waitFor();
  const looked: string[] = [];
  const late: string[] = [];
  for (const path of PATHS) {
    await page.evaluate(goTo, path);
    await page.locator('h1').first().waitFor({ state: 'attached' });
    await page.locator('main').locator('select, [role=radio]').first().waitFor();
    const seen = await page.evaluate(chooseEach);
    looked.push(...seen.looked);
    late.push(...seen.late.map((label) => `${path}: ${label}`));
  }
  expect(late).toEqual([]);
  for (const label of ['Values in', 'Drawn as', 'Time frame', 'Volume', 'All markets', 'Theme'])
    expect(looked).toContainEqual(expect.stringContaining(label));
  await endWalk(opened);
});

/** As the page's own links do. */
function goTo(path: string): void {
  history.pushState(null, '', path);
  dispatchEvent(new PopStateEvent('popstate'));
}

/**
 * Chooses another value in each control and reads it before the task ends, so before any frame; then restores
 * it.
 */
async function chooseEach(): Promise<{ looked: string[]; late: string[] }> {
  const looked: string[] = [];
  const late: string[] = [];
  const note = (label: string, isShown: boolean): void => {
    looked.push(label);
    if (!isShown) late.push(label);
  };
  const labelOf = (input: HTMLInputElement | HTMLSelectElement): string =>
    input.labels?.[0]?.textContent ?? input.ariaLabel ?? '';
  const choose = (select: HTMLSelectElement, value: string): void => {
    select.value = value;
    select.dispatchEvent(new Event('change', { bubbles: true }));
  };
  for (const select of document.querySelectorAll('select')) {
    const before = select.value;
    const other = [...select.options].find(({ value }) => value !== before)?.value;
    if (other === undefined || select.disabled) continue;
    choose(select, other);
    note(labelOf(select), select.value === other);
    choose(select, before);
  }
  for (const box of document.querySelectorAll<HTMLInputElement>('input[type=checkbox]')) {
    // This one changes the venue.
    if (box.disabled || /disconnect/i.test(labelOf(box))) continue;
    const before = box.checked;
    box.click();
    note(labelOf(box), box.checked !== before);
    box.click();
  }
  for (const group of document.querySelectorAll('[role=radiogroup], [role=tablist]')) {
    const isOn = (button: Element): boolean =>
      (button.ariaChecked ?? button.ariaSelected) === 'true';
    const buttons = [...group.querySelectorAll<HTMLElement>('[role=radio], [role=tab]')];
    const before = buttons.find(isOn);
    const other = buttons.find((button) => !isOn(button));
    if (before === undefined || other === undefined || !group.checkVisibility()) continue;
    other.click();
    // React renders what a button changed after the event, still in this task.
    await null;
    note(group.ariaLabel ?? '', isOn(other));
    before.click();
    await null;
  }
  return { looked, late };
}
