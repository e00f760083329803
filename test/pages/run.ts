import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findingsOf } from './axe.ts';
import { compareBooks } from './book.ts';
import { measureFrames } from './frames.ts';
import { measureMemory } from './memory.ts';
import {
  DESK,
  type Made,
  makeTrader,
  openConsole,
  pageOf,
  pause,
  takePictures,
} from './pictures.ts';
import { openVenue, type PageVenue } from './venue.ts';

/**
 * `npm run pages`: what is too long for the suite. The matrix: routes of the page and of the console x themes
 * x pairs x widths, with axe and a picture of each; frame times under load. `-- --only memory` measures the
 * page's memory after an hour's changes (`--changes 20000` for fewer), `-- --only book` checks the book after
 * 10,000 changes on a connection that loses messages (`--changes`, `--seed`, and `--times` to repeat it with
 * the next seeds), `-- --only pictures` makes the pictures of the documents.
 */

const MATRIX = 'dist/pictures';

const GROWTH_MAX_MB = 8;

const numberAfter = (flag: string): number | undefined => {
  const at = process.argv.indexOf(flag);
  return at < 0 ? undefined : Number(process.argv[at + 1]);
};

async function main(): Promise<void> {
  const at = process.argv.indexOf('--only');
  const only = at < 0 ? ['matrix', 'frames'] : (process.argv[at + 1] ?? '').split(',');
  let failures = 0;
  if (only.includes('matrix') || only.includes('pictures')) {
    const venue = await opened('--market', 'on', '--seed', '7', '--past', '12h');
    const made = await makeTrader(venue);
    if (only.includes('pictures')) await takePictures(venue, made);
    if (only.includes('matrix')) {
      failures += await runMatrix(venue, made);
      failures += await runConsoleMatrix(venue);
    }
    await venue.close();
  }
  if (only.includes('frames')) {
    const venue = await opened('--market', 'off');
    console.log(JSON.stringify(await measureFrames(venue), null, 2));
    await venue.close();
  }
  if (only.includes('memory')) {
    const venue = await opened('--market', 'off');
    const report = await measureMemory(venue, numberAfter('--changes'));
    console.log(JSON.stringify(report, null, 2));
    // What an hour may add; more would be a leak.
    if (report.growthMb > GROWTH_MAX_MB || report.shifts > 0) failures++;
    await venue.close();
  }
  if (only.includes('book')) failures += await runBooks();
  process.exit(failures === 0 ? 0 : 1);
}

async function runBooks(): Promise<number> {
  const venue = await opened('--market', 'off');
  const first = numberAfter('--seed') ?? 1;
  let failures = 0;
  for (let time = 0; time < (numberAfter('--times') ?? 1); time++) {
    const report = await compareBooks(venue, numberAfter('--changes'), first + time);
    console.log(JSON.stringify(report.isEqual ? { ...report, shown: '', wanted: '' } : report));
    if (!report.isEqual || report.lost === 0) failures++;
  }
  await venue.close();
  return failures;
}

async function opened(...args: string[]): Promise<PageVenue> {
  const venue = await openVenue(...args);
  if (typeof venue === 'string') throw new Error(venue);
  return venue;
}

const ROUTES = ['/', '/portfolio', '/wallet', '/accounts', '/keys', '/history', '/settings'];
const PAIRS = ['teal-coral', 'blue-orange', 'red-up'];
const WIDTHS = [
  [1440, 900],
  [1024, 768],
  [768, 1024],
  [360, 780],
] as const;

/** Every finding of axe and every horizontal scroll, each with a picture. */
async function runMatrix(venue: PageVenue, made: Made): Promise<number> {
  mkdirSync(MATRIX, { recursive: true });
  const found: string[] = [];
  for (const theme of ['dark', 'light'] as const) {
    for (const pair of PAIRS) {
      const page = await pageOf(venue, made, { theme, pair, options: DESK });
      page.on('pageerror', (error) => found.push(`${theme} ${pair}: ${error.message}`));
      for (const route of ROUTES) {
        await page.goto(venue.baseUrl + route);
        await page.locator('h1').first().waitFor({ state: 'attached' });
        await pause(700);
        for (const [width, height] of WIDTHS) {
          await page.setViewportSize({ width, height });
          await pause(150);
          const where = `${route === '/' ? 'trade' : route.slice(1)}-${theme}-${pair}-${width}`;
          found.push(...(await findingsOf(page, where)));
          await page.screenshot({ path: join(MATRIX, `${where}.png`) });
        }
      }
      await page.context().close();
      console.log(`${theme} ${pair}: ${found.length} findings so far`);
    }
  }
  for (const words of found) console.log(words);
  return found.length;
}

const CONSOLE_ROUTES = [
  ...['', '/withdrawals', '/deposits', '/risk', '/markets', '/accounts/30014'],
  ...['/solvency', '/audit', '/health', '/search?q=demo'],
];

/** The same for the console, which has one colour pair. */
async function runConsoleMatrix(venue: PageVenue): Promise<number> {
  const { page, faults: found } = await openConsole(venue, 0);
  for (const route of CONSOLE_ROUTES) {
    await page.goto(`${venue.handout.consoleUrl}${route}`);
    await page.locator('h1').first().waitFor({ state: 'attached' });
    await pause(700);
    for (const theme of ['dark', 'light'] as const) {
      await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
      for (const [width, height] of WIDTHS) {
        await page.setViewportSize({ width, height });
        await pause(150);
        const name = route.replaceAll(/\W/g, '-');
        const where = `console${name}-${theme}-${width}`;
        found.push(...(await findingsOf(page, where)));
        await page.screenshot({ path: join(MATRIX, `${where}.png`) });
      }
    }
  }
  await page.context().close();
  for (const words of found) console.log(words);
  console.log(`console: ${found.length} findings`);
  return found.length;
}

await main();
