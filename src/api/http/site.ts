import { refuse } from '../../domain/rejections.ts';
import type { Fields } from './head.ts';
import { refused } from './mount.ts';
import type { Page, PageServed } from './page.ts';

/** A file of the trading page: held once, and sent to everybody from the same bytes. */
export type SiteFile = {
  readonly type: string;
  readonly bytes: Buffer;
  /** Absent if the format is already compressed. */
  readonly gzip?: Buffer;
};

export type SiteState =
  | { readonly files: ReadonlyMap<string, SiteFile> }
  /** Not there yet, or not at all: the reason, for people. */
  | { readonly isComing: boolean; readonly words: string };

/** The source of the page. The first call starts the build, if it must be built. */
export type Site = {
  state(): SiteState;
  /** The state once it is no longer being built; starts the build as well. */
  settled?(): Promise<SiteState>;
};

/** Paths that the page itself distinguishes, so that a reload works anywhere. */
const PAGE_PATHS = [
  ...['/', '/trade', '/trade/*', '/portfolio', '/wallet'],
  ...['/accounts', '/keys', '/history', '/settings'],
];
const ASSETS = '/assets/*';

/** A page of the site: the paths it is served at, and its file. */
export type SitePlace = {
  readonly paths: readonly string[];
  readonly file: string;
  /** A link to show while it is not there. */
  readonly beside?: string;
};

export const TRADING: SitePlace = {
  paths: PAGE_PATHS,
  file: '/index.html',
  beside: ': <a href="/docs">its interface</a>',
};
/** On the management listener. */
export const CONSOLE: SitePlace = { paths: ['/console', '/console/*'], file: '/console.html' };

/** The content security policy: everything from this host only, and no inline script. */
export const SECURITY = [
  'Content-Security-Policy',
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; " +
    "require-trusted-types-for 'script'",
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
];
const PAGE_CACHE = ['Cache-Control', 'no-store'];
/** Their names change with their content. */
const ASSET_CACHE = ['Cache-Control', 'public, max-age=31536000, immutable'];

export function sitePages(site: Site, place: SitePlace): Page[] {
  const page: Page['serve'] = ({ headers }) => {
    const state = site.state();
    if (!('files' in state)) return notYet(state, place);
    const file = state.files.get(place.file);
    if (file === undefined) {
      return notYet({ isComing: false, words: `${place.file} was not built.` }, place);
    }
    return fileAnswer(file, headers, [...SECURITY, ...PAGE_CACHE]);
  };
  const asset: Page['serve'] = ({ path, headers }) => {
    const state = site.state();
    const file = 'files' in state ? state.files.get(path) : undefined;
    if (file === undefined) return refused(refuse('PATH_UNKNOWN', path.slice(0, 80)), []);
    return fileAnswer(file, headers, [...SECURITY, ...ASSET_CACHE]);
  };
  return [...place.paths.map((path) => ({ path, serve: page })), { path: ASSETS, serve: asset }];
}

export function fileAnswer(file: SiteFile, headers: Fields, more: readonly string[]): PageServed {
  const packed = takesGzip(headers) ? file.gzip : undefined;
  const coding = packed === undefined ? [] : ['Content-Encoding', 'gzip'];
  return {
    status: 200,
    body: packed ?? file.bytes,
    headers: ['Content-Type', file.type, 'Vary', 'Accept-Encoding', ...coding, ...more],
  };
}

/** "gzip" or "*", unless it says ";q=0". */
function takesGzip(headers: Fields): boolean {
  const accepted = String(headers['accept-encoding'] ?? '');
  return accepted
    .toLowerCase()
    .split(',')
    .map((part) => part.trim())
    .some((part) => /^(gzip|\*)(;|$)/.test(part) && !/;\s*q=0(\.0*)?$/.test(part));
}

const WORDS_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'";

/** Explains the state; while the page is being built, it reloads by itself. */
function notYet(
  { isComing, words }: { readonly isComing: boolean; readonly words: string },
  { beside = '' }: SitePlace,
): PageServed {
  const again = isComing ? '<meta http-equiv="refresh" content="1">' : '';
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return {
    status: isComing ? 200 : 503,
    headers: [
      ...['Content-Type', 'text/html; charset=utf-8', 'X-Content-Type-Options', 'nosniff'],
      ...['Content-Security-Policy', WORDS_POLICY, ...PAGE_CACHE],
    ],
    body: `<!doctype html>
<html lang="en"><head><meta charset="utf-8">${again}
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rialto</title>
<style>
:root { color-scheme: dark }
body { background: #07090c; color: #e9ecf2; font: 15px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 20vh auto 0; padding: 0 1.5rem; white-space: pre-line }
</style></head>
<body><main><h1>Rialto</h1><p>${escaped}</p>
<p>The venue itself is running${beside}.</p></main></body></html>
`,
  };
}
