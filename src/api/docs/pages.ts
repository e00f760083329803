import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { refuse } from '../../domain/rejections.ts';
import type { Recording } from '../../wire/docs/recording.ts';
import { ENDPOINTS } from '../../wire/endpoints.ts';
import { operatorMarkdown, sandboxMarkdown } from '../../wire/markdown.ts';
import { OPERATOR_ENDPOINTS } from '../../wire/operator.ts';
import { SANDBOX_ENDPOINTS } from '../../wire/sandbox.ts';
import { refused } from '../http/mount.ts';
import type { Page, PageServed } from '../http/page.ts';
import { fileAnswer, SECURITY, type Site, type SiteFile } from '../http/site.ts';
import { errorsPage } from './errors.ts';
import { type DocsPage, framed, type Way } from './frame.ts';
import { llmsText } from './llms.ts';
import { anchorOf, guideOf } from './markdown.ts';
import { referencePage } from './reference.ts';
import { signingPage } from './signing-page.ts';
import { streamPage } from './stream-page.ts';
import { DOCS_STYLE } from './style.ts';

/** The sources of the pages beside the declarations: files of docs/, read on first request. */
export type DocsFiles = {
  /** Undefined if there is no such file. */
  read(name: string): Promise<Buffer | undefined>;
  /** Names of the guides, in reading order, without their extension. */
  guides(): Promise<readonly string[]>;
};

const NONE: DocsFiles = { read: async () => undefined, guides: async () => [] };
const NOTHING_RECORDED: Recording = { calls: [], stream: [], sdk: {} };
const HTML = 'text/html; charset=utf-8';
const compressed = promisify(gzip);

/** The documentation; each page is built once, on first request. */
export function docsPages(files: DocsFiles = NONE, site?: Site): Page[] {
  const parts = onceFor(async () => partsOf(files));
  const page = (path: string, make: (made: DocsParts) => DocsPage | undefined): Page => {
    const html = (made: DocsParts): string | undefined => {
      const found = make(made);
      return found === undefined ? undefined : framed(found, made.ways);
    };
    return kept(path, HTML, async () => html(await parts()));
  };
  return [
    page('/docs', ({ recording }) => referencePage(ENDPOINTS, recording)),
    page('/docs/stream', ({ recording }) => streamPage(recording)),
    page('/docs/operator', () => pageOf('/docs/operator', operatorMarkdown(OPERATOR_ENDPOINTS))),
    page('/docs/sandbox', () => pageOf('/docs/sandbox', sandboxMarkdown(SANDBOX_ENDPOINTS))),
    page('/docs/errors', () => errorsPage()),
    page('/docs/signing', () => signingPage()),
    guidePages(parts),
    picturePages(files),
    kept('/docs/style.css', 'text/css; charset=utf-8', async () => DOCS_STYLE),
    kept('/docs/search.json', 'application/json', async () => searchText(await parts())),
    kept('/llms.txt', 'text/plain; charset=utf-8', async () =>
      llmsText(ENDPOINTS, (await parts()).ways),
    ),
    { path: '/docs/app.js', serve: () => script(site) },
  ];
}

type DocsParts = {
  readonly recording: Recording;
  readonly guides: ReadonlyMap<string, DocsPage>;
  readonly ways: readonly Way[];
};

async function partsOf(files: DocsFiles): Promise<DocsParts> {
  const recorded = await files.read('recorded.json');
  const guides = new Map<string, DocsPage>();
  for (const name of await files.guides()) {
    const text = await files.read(`guides/${name}.md`);
    if (text === undefined) continue;
    guides.set(name, pageOf(`/docs/guides/${name}`, text.toString()));
  }
  return {
    recording:
      recorded === undefined ? NOTHING_RECORDED : (JSON.parse(recorded.toString()) as Recording),
    guides,
    ways: [...guides.values()].map(({ path, title }) => ({ path, title })),
  };
}

/** A page from a document. */
function pageOf(path: string, markdown: string): DocsPage {
  const { title, html, sections } = guideOf(markdown);
  const links = sections.map((one) => `<li><a href="#${one.id}">${one.title}</a></li>`);
  const contents = `<h2>On this page</h2><ul>${links.join('')}</ul>`;
  return { path, title, contents, main: html };
}

/** Titles and places of everything, for the search field. */
function searchText({ guides }: DocsParts): string {
  const entries = [
    ...ENDPOINTS.map(({ method, path, summary }) => ({
      title: `${method} ${path}`,
      words: summary,
      place: `/docs#${method.toLowerCase()}${path.replaceAll('/', '-')}`,
    })),
    ...[...guides.values()].flatMap(({ path, title, main }) => [
      { title, words: 'Guide', place: path },
      ...[...main.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)].map(([, id, words]) => ({
        title: (words ?? '').replace(/<[^>]+>/g, ''),
        words: title,
        place: `${path}#${id ?? anchorOf(words ?? '')}`,
      })),
    ]),
  ];
  return JSON.stringify(entries);
}

function guidePages(parts: () => Promise<DocsParts>): Page {
  const made = new Map<string, Promise<SiteFile>>();
  return {
    path: '/docs/guides/*',
    serve: async ({ path, headers }) => {
      const { guides, ways } = await parts();
      const guide = guides.get(path.slice('/docs/guides/'.length));
      if (guide === undefined) return missing(path);
      let file = made.get(path);
      if (file === undefined) {
        file = fileOf(HTML, framed(guide, ways));
        made.set(path, file);
      }
      return fileAnswer(await file, headers, DOCS_HEADERS);
    },
  };
}

const PICTURE = /^\/docs\/pictures\/([\w-]+\.(svg|png))$/;
const PICTURE_TYPES = { svg: 'image/svg+xml', png: 'image/png' } as const;

/** Only names that guides can use; sent as they are. */
function picturePages(files: DocsFiles): Page {
  return {
    path: '/docs/pictures/*',
    serve: async ({ path, headers }) => {
      const [, name, ending] = PICTURE.exec(path) ?? [];
      const bytes = name === undefined ? undefined : await files.read(`guides/pictures/${name}`);
      if (bytes === undefined) return missing(path);
      const type = PICTURE_TYPES[ending as keyof typeof PICTURE_TYPES];
      return fileAnswer({ type, bytes }, headers, DOCS_HEADERS);
    },
  };
}

const missing = (path: string): PageServed =>
  refused(refuse('PATH_UNKNOWN', path.slice(0, 80)), []);

/** The script is built with the trading page; its file name changes with its content, this URL does not. */
async function script(site: Site | undefined): Promise<PageServed> {
  const state = site === undefined ? undefined : await (site.settled?.() ?? site.state());
  const names = state !== undefined && 'files' in state ? [...state.files.keys()] : [];
  const found = names.find((name) => /^\/assets\/docs-[\w-]+\.js$/.test(name));
  if (found === undefined) return missing('/docs/app.js');
  return { status: 302, body: '', headers: ['Location', found, 'Cache-Control', 'no-store'] };
}

const DOCS_HEADERS = [...SECURITY, 'Cache-Control', 'no-cache'];

function kept(path: string, type: string, make: () => Promise<string | undefined>): Page {
  const file = onceFor(async () => {
    const text = await make();
    return text === undefined ? undefined : fileOf(type, text);
  });
  return {
    path,
    serve: async ({ headers }) => {
      const found = await file();
      return found === undefined ? missing(path) : fileAnswer(found, headers, DOCS_HEADERS);
    },
  };
}

async function fileOf(type: string, text: string): Promise<SiteFile> {
  const bytes = Buffer.from(text);
  return { type, bytes, gzip: await compressed(bytes) };
}

/** Built by the first request; a failure is not cached, so that the next one retries. */
function onceFor<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    made ??= make().catch((cause) => {
      made = undefined;
      throw cause;
    });
    return made;
  };
}
