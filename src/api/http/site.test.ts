import { expect, test } from 'vitest';
import type { Fields } from './head.ts';
import type { PageServed } from './page.ts';
import { type Site, type SiteState, sitePages, TRADING } from './site.ts';

const INDEX = { type: 'text/html', bytes: Buffer.from('<html>'), gzip: Buffer.from('packed') };
const FONT = { type: 'font/woff2', bytes: Buffer.from('font') };
const READY: SiteState = {
  files: new Map<string, typeof INDEX | typeof FONT>([
    ['/index.html', INDEX],
    ['/assets/a-1.woff2', FONT],
  ]),
};

function get(state: SiteState, path: string, headers: Fields = {}): PageServed {
  const site: Site = { state: () => state };
  const folder = path.replace(/[^/]+$/, '*');
  const pages = sitePages(site, TRADING);
  const page = pages.find((one) => one.path === path) ?? pages.find((one) => one.path === folder);
  if (page === undefined) throw new Error(`no page at ${path}`);
  return page.serve({ path, headers }) as PageServed;
}

const header = ({ headers }: PageServed, name: string): string | undefined =>
  headers[headers.indexOf(name) + 1];

test('every path of the page is answered with it, never from a cache, under a strict policy', () => {
  for (const path of [
    '/',
    '/trade/BTC',
    '/portfolio',
    '/wallet',
    '/keys',
    '/history',
    '/settings',
    '/accounts',
  ]) {
    const answer = get(READY, path);
    expect(answer.status, path).toBe(200);
    expect(answer.body, path).toBe(INDEX.bytes);
    expect(header(answer, 'Cache-Control')).toBe('no-store');
    expect(header(answer, 'Content-Security-Policy')).toContain("script-src 'self'");
  }
});

test('who takes gzip gets it, from the same bytes each time', () => {
  expect(get(READY, '/', { 'accept-encoding': 'br, gzip' }).body).toBe(INDEX.gzip);
  expect(get(READY, '/', { 'accept-encoding': '*;q=0.5' }).body).toBe(INDEX.gzip);
  expect(get(READY, '/', { 'accept-encoding': 'gzip;q=0, br' }).body).toBe(INDEX.bytes);
  expect(get(READY, '/').headers).not.toContain('Content-Encoding');
  const font = get(READY, '/assets/a-1.woff2', { 'accept-encoding': 'gzip' });
  expect(font.body).toBe(FONT.bytes);
  expect(font.headers).not.toContain('Content-Encoding');
});

test('files whose names have a hash are kept for a year; others are not there', () => {
  expect(header(get(READY, '/assets/a-1.woff2'), 'Cache-Control')).toContain('immutable');
  expect(get(READY, '/assets/none.js').status).toBe(404);
  expect(get(READY, '/assets/..%2findex.html').status).toBe(404);
});

test('until there is a page, its place says why, and looks again only while that helps', () => {
  const coming = get({ isComing: true, words: 'being <built>' }, '/');
  expect(coming.status).toBe(200);
  expect(String(coming.body)).toContain('http-equiv="refresh"');
  expect(String(coming.body)).toContain('being &lt;built>');
  const absent = get({ isComing: false, words: 'not installed' }, '/');
  expect(absent.status).toBe(503);
  expect(String(absent.body)).not.toContain('refresh');
});
