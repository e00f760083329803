import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { RialtoClient } from '../../src/client/index.ts';
import { limit } from '../http/trading.ts';
import { needVenue, type Opened, openVenue, type PageVenue, signIn } from './venue.ts';

/**
 * One venue and one browser for all walks of `browser.test.ts`: starting them took longer than most walks. So each walk begins
 * with what it needs and leaves no open order behind; it must also pass alone.
 */
let opening: Promise<PageVenue | string> | undefined;

/** Opens it when it is first needed; without a browser the test is skipped. */
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
 * A page of somebody who has signed in as demo-1, in the window of those before it: signing in is walked elsewhere, and what
 * the browser has loaded it keeps.
 */
export async function openSignedIn(at: PageVenue, path: string): Promise<Opened> {
  signed ??= signInFirst(at);
  const { page: first } = await signed;
  const opened = await at.openBeside(first, path);
  await opened.page.getByRole('button', { name: /^Account main/ }).waitFor();
  return opened;
}

async function signInFirst(at: PageVenue): Promise<Opened> {
  const opened = await at.open('/settings');
  await opened.page.locator('header').getByRole('button', { name: 'Sign in' }).click();
  await signIn(opened.page);
  // The session is kept by the browser; a page that nobody looks at would be drawn all the same.
  await opened.page.goto('about:blank');
  return opened;
}

/** What the page did that it should not, without what the browser itself notes of an answer that refuses. */
export const ownFaults = (faults: readonly string[]): string[] =>
  faults.filter((fault) => !fault.includes('status of 400'));

/** No message, no error, no request elsewhere; and the page is closed. */
export async function endWalk({ page, faults }: Opened): Promise<void> {
  expect(ownFaults(faults)).toEqual([]);
  await page.close();
}

export const BTC = 'BTC-USD-SWAP-LIN';
export const ETH = 'ETH-USD-SWAP-LIN';

export async function markOf(of: PageVenue, marketCode = BTC): Promise<number> {
  const [market] = await of.own().markets({ marketCode });
  return Math.round(Number(market?.markPrice));
}

/** Nothing open on either side. */
export async function clearBooks(at: PageVenue): Promise<void> {
  await Promise.all([at.own().cancelAllOrders({}), at.other().cancelAllOrders({})]);
}

/** A bid and an ask around the mark, by somebody else. */
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
