import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, needVenue, openVenue, type PageVenue } from './venue.ts';

/** The page with a living market. */

let venue: PageVenue | string = 'not opened';
beforeAll(async () => {
  venue = await openVenue('--market', 'on', '--seed', '7', '--past', '0');
});
afterAll(async () => {
  if (typeof venue !== 'string') await venue.close();
});

const WATCH = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (!entry.hadRecentInput) window.shifts.push(...entry.sources.map(
        ({ node }) => (node?.outerHTML ?? node?.parentElement?.outerHTML ?? '?').slice(0, 120),
      ));
    }
  }).observe({ type: 'layout-shift', buffered: false });
`;

const BUSY = `
  window.busy = setInterval(() => {
    const untilMs = performance.now() + 60;
    while (performance.now() < untilMs);
  }, 100);
  setTimeout(() => clearInterval(window.busy), 10_000);
`;

test('candles move, books change, numbers are of one width, and nothing moves the layout', async ({
  skip,
}) => {
  const at = needVenue(venue, skip);
  const { page, faults } = await at.open('/');
  const legend = page.locator('.legend');
  await legend.waitFor();
  await page.locator('.book .lv').first().waitFor();
  await page.evaluate('document.fonts.ready');
  await page.waitForTimeout(1_500);
  await page.evaluate(WATCH);
  const before = await legend.innerText();
  const bookBefore = await page.locator('.book .lv').allInnerTexts();
  // Canvas text takes tabular numerals from the style of its element.
  const widths = await page
    .locator('.book canvas')
    .first()
    .evaluate((canvas) => {
      const context = (canvas as HTMLCanvasElement).getContext('2d') as CanvasRenderingContext2D;
      return ['1111', '0000', '8888'].map((text) => context.measureText(text).width);
    });
  expect(new Set(widths).size).toBe(1);
  expect(widths[0]).toBeGreaterThan(0);
  // There is room for a spread of three digits, so that one of two moves nothing.
  const [needed, room] = await page.locator('.book .mid > .pair').evaluate((pair) => {
    const words = document.createElement('span');
    words.textContent = 'Spread 888';
    words.style.position = 'absolute';
    pair.append(words);
    const { width } = words.getBoundingClientRect();
    words.remove();
    return [width, Number.parseFloat(getComputedStyle(pair).minWidth)];
  });
  expect(room).toBeGreaterThanOrEqual(needed as number);
  const names = await page
    .locator('.book .lv')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label')));
  await eventually(() => legend.innerText()).not.toBe(before);
  await eventually(() =>
    page
      .locator('.book .lv')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('aria-label'))),
  ).not.toEqual(names);
  expect(bookBefore.length).toBeGreaterThan(0);
  // A browser that is busy for some seconds says so, and that moves nothing either.
  await page.evaluate(BUSY);
  await page.getByText('Drawing half as often').waitFor();
  expect(await page.evaluate('window.shifts')).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});
