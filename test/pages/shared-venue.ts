import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { RialtoClient } from '../../src/client/index.ts';
import { limit } from '../http/trading.ts';
import { type Line, tap } from './line.ts';
import { needVenue, type Opened, openVenue, type PageVenue, signIn } from './venue.ts';

/**
 * One venue and one browser for all walks of `browser.test.ts`: starting them took longer than most walks. So
 * each walk starts by setting up what it needs and leaves no open order behind; it must also pass alone.
 */
let opening: Promise<PageVenue | string> | undefined;

/** Opened on first use; without a browser the test is skipped. */
export async function sharedVenue(skip: (words: string) => void): Promise<PageVenue> {
  opening ??= openVenue('--market', 'off');
  return needVenue(await opening, skip);
}

export async function closeShared(): Promise<void> {
  const venue = await opening;
  opening = undefined;
  signed = undefined;
  if (venue !== undefined && typeof venue !== 'string') await venue.close();
}

let signed: Promise<Opened> | undefined;

/**
 * A page signed in as demo-1: signing in is tested elsewhere. These walks share one tab: a new document there
 * costs half of what a new tab does.
 */
export async function openSignedIn(at: PageVenue, path: string): Promise<Opened> {
  const opened = await openInTab(at, path);
  await opened.page.getByRole('button', { name: /^Account main/ }).waitFor();
  return opened;
}

/** The same for pages that do not show who is signed in. */
export async function openInTab(at: PageVenue, path: string): Promise<Opened> {
  signed ??= signInFirst(at);
  const opened = await signed;
  const { page, faults } = opened;
  // A walk that failed may have left it in any state.
  await leave(page);
  await page.unrouteAll();
  await page.emulateMedia({ forcedColors: 'none', colorScheme: 'light' });
  await page.setViewportSize({ width: 1440, height: 900 });
  faults.length = 0;
  await page.goto(at.baseUrl + path);
  return opened;
}

/** A tab of its own, signed in, whose stream the walk controls. */
export async function openTapped(at: PageVenue): Promise<Opened & { readonly line: Line }> {
  const opened = await at.open('/settings');
  const line = await tap(opened.page);
  await opened.page.goto(`${at.baseUrl}/`);
  await signIn(opened.page);
  return { ...opened, line };
}

async function signInFirst(at: PageVenue): Promise<Opened> {
  const opened = await at.open('/settings');
  await opened.page.locator('header').getByRole('button', { name: 'Sign in' }).click();
  await signIn(opened.page);
  return opened;
}

/**
 * A page that nobody looks at would still be rendered. Goes to a plain response of the same host, not to an
 * empty page, so that the browser stays in the same process.
 */
const leave = (page: Page): Promise<unknown> => page.goto(new URL('/v3/time', page.url()).href);

/** The page's own faults, without the browser's own messages about refused requests. */
export const ownFaults = (faults: readonly string[]): string[] =>
  faults.filter((fault) => !fault.includes('status of 400'));

/** No message, no error, no request elsewhere; and the tab is ready for the next walk. */
export async function endWalk({ page, faults }: Opened): Promise<void> {
  expect(ownFaults(faults)).toEqual([]);
  await leave(page);
}

export const BTC = 'BTC-USD-SWAP-LIN';
export const ETH = 'ETH-USD-SWAP-LIN';

export async function markOf(of: PageVenue, marketCode = BTC): Promise<number> {
  const [market] = await of.own().markets({ marketCode });
  return Math.round(Number(market?.markPrice));
}

/** Cancels all orders of both sides. */
export async function clearBooks(at: PageVenue): Promise<void> {
  await Promise.all([at.own().cancelAllOrders({}), at.other().cancelAllOrders({})]);
}

/** A bid and an ask around the mark, by another account. */
export async function quote(of: RialtoClient, marketCode: string, mark: number): Promise<void> {
  await of.placeOrders({
    responseType: 'FULL',
    orders: [
      { ...limit('BUY', '5', String(mark - 5)), marketCode },
      { ...limit('SELL', '5', String(mark + 5)), marketCode },
    ],
  });
}

export const openOrders = async (at: PageVenue, marketCode = BTC): Promise<number> =>
  (await at.own().workingOrders({ marketCode })).length;

export const ticketButton = (page: Page) => page.locator('.ticket .go');
