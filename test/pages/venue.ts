import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page, Route } from 'playwright-core';
import { expect } from 'vitest';
import type { Handout } from '../../src/cli/handout.ts';
import { RialtoClient } from '../../src/client/index.ts';
import { builtSite } from '../../src/site.ts';
import { type Running, startProgram } from '../cli/running.ts';
import { openBrowser } from './browser.ts';
import { noteTimers } from './later.ts';

/** A venue as `npm start` starts it, and a real browser. */
export type PageVenue = {
  readonly browser: Browser;
  readonly baseUrl: string;
  readonly handout: Handout;
  /** A page that records every console message, every error and every request to another host. */
  open(path: string, more?: Partial<Opening>): Promise<Opened>;
  /** Another tab of the same browser. */
  openBeside(page: Page, path: string): Promise<Opened>;
  /** A trader of another family, over REST. */
  other(): RialtoClient;
  /** The account of the page, over REST. */
  own(): RialtoClient;
  /** A payment on a simulated chain. */
  deposit(sent: Readonly<Record<string, string>>): Promise<void>;
  /** Kills the program, as a crash does. */
  kill(): Promise<void>;
  /** Restarts it at the same address. */
  restart(): Promise<void>;
  close(): Promise<void>;
};
type Opening = {
  readonly width: number;
  readonly height: number;
  /** With the coach marks that guide users to their first order. */
  readonly hasCoach: boolean;
};
export type Opened = { readonly page: Page; readonly faults: string[] };

/** A string says why there is none. */
export async function openVenue(...more: string[]): Promise<PageVenue | string> {
  // In parallel: unpacking a browser and building the page take longest if neither is cached.
  const [browser] = await Promise.all([openBrowser(), builtSite()]);
  if (typeof browser === 'string') return browser;
  const folder = mkdtempSync(join(tmpdir(), 'rialto-page-'));
  const handoutFile = join(folder, 'handout.json');
  const start = (port: string): Running =>
    startProgram([
      ...['dev', '--port', port, '--data', join(folder, 'data'), '--handout', handoutFile],
      ...more,
    ]);
  let venue = start('0');
  await venue.until({ file: handoutFile });
  const handout = JSON.parse(readFileSync(handoutFile, 'utf8')) as Handout;
  const { baseUrl, sandboxToken } = handout;
  await served(baseUrl);
  return {
    ...{ browser, baseUrl, handout },
    open: async (path, { width = 1440, height = 900, hasCoach = false } = {}) => {
      const opened = await openPage(browser, baseUrl, { width, height });
      if (!hasCoach) await opened.page.context().addInitScript(NO_COACH);
      await opened.page.goto(baseUrl + path);
      return opened;
    },
    openBeside: async (page, path) => {
      const opened = watched(await page.context().newPage(), baseUrl);
      await opened.page.goto(baseUrl + path);
      return opened;
    },
    own: () => clientOf(handout, 0),
    other: () => clientOf(handout, 1),
    deposit: async (sent) => {
      const answer = await fetch(`${baseUrl}/sandbox/v1/deposit`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${sandboxToken}` },
        body: JSON.stringify(sent),
      });
      if (!answer.ok) throw new Error(await answer.text());
    },
    kill: async () => {
      venue.child.kill('SIGKILL');
      await venue.exited;
    },
    restart: async () => {
      venue = start(new URL(baseUrl).port);
      await served(baseUrl);
    },
    close: async () => {
      await browser.close();
      await venue.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Signs for the main account of a family, with all permissions. */
export function clientOf({ baseUrl, families }: Handout, family: number): RialtoClient {
  const keys = families[family]?.accounts[0]?.keys ?? [];
  const key = keys.find(({ permissions }) => permissions.includes('withdraw'));
  if (key === undefined) throw new Error('the demo has a key that may withdraw');
  return new RialtoClient({ baseUrl, accessKey: key.accessKey, secret: key.secret });
}

/** The first request loads the files. */
export async function served(baseUrl: string): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    const text = await fetch(baseUrl).then(
      (answer) => answer.text(),
      () => '',
    );
    if (text.includes('id="root"')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the page was not served');
}

/** Coach marks are tested separately; here they are off. */
const NO_COACH = `localStorage.setItem('rialto-coach', '{"step":4}')`;

/** Empty at first; it may contact only its own host. */
export async function openPage(
  browser: Browser,
  ownUrl: string,
  viewport: { readonly width: number; readonly height: number },
): Promise<Opened> {
  // Colours in transition between two themes belong to neither.
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
  await context.addInitScript(noteTimers);
  return watched(await context.newPage(), ownUrl);
}

function watched(page: Page, ownUrl: string): Opened {
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  page.on('console', (message) => faults.push(`console: ${message.text()}`));
  // A user's request may be refused; the page's own requests must not be.
  page.on('response', (response) => {
    if (response.status() !== 400 || response.request().method() !== 'GET') return;
    faults.push(`refused: ${response.url()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(ownUrl)) {
      faults.push(`request: ${request.url()}`);
    }
  });
  return { page, faults };
}

/** With the button in place of the ticket, or in the dialog if it is open. */
export async function signIn(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  const start = { name: /^Start as demo-1/ };
  for (let tries = 1; ; tries++) {
    // The dialog appears before its button; until then the ticket's button is under it and cannot be clicked.
    const where = (await dialog.isVisible()) ? dialog : page;
    try {
      await where.getByRole('button', start).last().click({ timeout: 5_000 });
      break;
    } catch (cause) {
      if (tries === 12) throw cause;
    }
  }
  await page.getByRole('button', { name: /^Account main/ }).waitFor();
}

/** Without a browser the test is skipped with the reason; where everything must run it fails. */
export function needVenue(venue: PageVenue | string, skip: (words: string) => void): PageVenue {
  if (typeof venue !== 'string') return venue;
  if (process.env['CI'] === 'true') throw new Error(venue);
  skip(venue);
  throw new Error('unreachable');
}

/** Fills the ticket; omitted fields stay as they are. */
export async function fillTicket(
  page: Page,
  order: {
    readonly kind?: string;
    readonly side?: 'Buy' | 'Sell';
    readonly price?: string;
    readonly stop?: string;
    readonly size?: string;
    readonly inForce?: string;
  },
): Promise<void> {
  const { kind, side, price, stop, size, inForce } = order;
  if (kind !== undefined) await page.getByRole('tab', { name: kind, exact: true }).click();
  if (side !== undefined) await page.getByRole('radio', { name: new RegExp(`^${side}`) }).click();
  if (stop !== undefined) await page.locator('#ticket-stopPrice').fill(stop);
  if (price !== undefined) await page.locator('#ticket-price').fill(price);
  if (size !== undefined) await page.locator('#ticket-size').fill(size);
  if (inForce !== undefined) await page.getByLabel('In force').selectOption(inForce);
}

const EVENTUALLY_MS = 60_000;

/** Polls until it holds; how long that takes depends on the machine. */
export const eventually = <Value>(ask: () => Promise<Value>) =>
  expect.poll(ask, { timeout: EVENTUALLY_MS });

/** A path of the venue that no page requests. */
const PROBE = '/ready';

/**
 * From now on matching requests of the page go through `handler`. The browser reports that it is done a
 * moment before the page's requests are caught, so this waits until a request of the page itself is.
 */
export async function intercept(
  page: Page,
  url: string,
  handler: (route: Route) => Promise<void>,
): Promise<void> {
  await page.route(url, handler);
  await page.route(`**${PROBE}`, (route) => route.fulfill({ status: 204 }));
  await eventually(() => page.evaluate(async (path) => (await fetch(path)).status, PROBE)).toBe(
    204,
  );
}
