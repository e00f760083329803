import type { Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { clearBooks, sharedVenue } from '../shared-venue.ts';
import { fillTicket, openPage, signIn } from '../venue.ts';

/** A computer whose clock is wrong by hours: the venue's time counts. */

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** Less than any of the clocks is wrong, and more than any test takes. */
const NEAR_MS = HOUR_MS;

/** For the page's own scripts; the browser's network stack keeps the right time. */
const wrongBy = (ms: number): string => `{
  const Right = Date;
  globalThis.Date = class extends Right {
    constructor(...given) {
      super(...(given.length === 0 ? [Right.now() + ${ms}] : given));
    }
    static now() {
      return Right.now() + ${ms};
    }
  };
}`;

test.for([-3, 13])(
  'with a clock that is wrong by %i hours the chart is whole, times are right, and the session stays',
  async (hours, { skip }) => {
    const at = await sharedVenue(skip);
    await clearBooks(at);
    const { page, faults } = await openPage(at.browser, at.baseUrl, { width: 1440, height: 900 });
    await page.context().addInitScript(wrongBy(hours * HOUR_MS));
    await page.context().addInitScript(`localStorage.setItem('rialto-coach', '{"step":4}')`);
    const asked: Request[] = [];
    page.on('request', (request) => asked.push(request));
    const times = (path: string, name: string): number[] =>
      asked
        .map((request) => new URL(request.url()))
        .filter((url) => url.pathname === path)
        .map((url) => Number(url.searchParams.get(name)));
    await page.goto(`${at.baseUrl}/`);
    await signIn(page);
    await page.locator('.legend').waitFor();
    expect(Math.abs(Math.max(...times('/v3/candles', 'endTime')) - Date.now())).toBeLessThan(
      NEAR_MS,
    );

    await fillTicket(page, { kind: 'Limit', side: 'Buy', price: '57000', size: '0.01' });
    await page.locator('.ticket .go').click();
    await page.getByText('Order taken').first().waitFor();
    await page.getByRole('button', { name: 'Messages' }).click();
    const said = await page
      .locator('#bell-list')
      .getByText(/^\d\d:\d\d:\d\d$/)
      .first()
      .innerText();
    const midnightMs = new Date().setUTCHours(0, 0, 0, 0);
    const saidMs = midnightMs + Date.parse(`1970-01-01T${said}Z`);
    const apartMs = Math.abs(saidMs - Date.now());
    // Said before midnight and read after it.
    expect(Math.min(apartMs, 24 * HOUR_MS - apartMs)).toBeLessThan(NEAR_MS);

    await page.goto(`${at.baseUrl}/wallet`);
    await page.getByRole('button', { name: /^Account main/ }).waitFor();
    await page.getByText('Deposits', { exact: true }).waitFor();
    await expect.poll(() => times('/v3/deposit', 'startTime').length).toBeGreaterThan(0);
    const [from = 0] = times('/v3/deposit', 'startTime');
    expect(Math.abs(from + WEEK_MS - Date.now())).toBeLessThan(NEAR_MS);
    expect(faults).toEqual([]);
    await page.context().close();
    await clearBooks(at);
  },
);
