import { escaped } from './html.ts';

/** A page below /docs: its frame with the navigation. */
export type DocsPage = {
  readonly path: string;
  readonly title: string;
  /** HTML of this page's table of contents; absent on short pages. */
  readonly contents?: string;
  readonly main: string;
};

export type Way = { readonly path: string; readonly title: string };

const REFERENCE: readonly Way[] = [
  { path: '/docs', title: 'REST interface' },
  { path: '/docs/stream', title: 'Stream' },
  { path: '/docs/operator', title: 'Operator interface' },
  { path: '/docs/sandbox', title: 'Sandbox' },
  { path: '/docs/signing', title: 'Signing playground' },
  { path: '/docs/errors', title: 'Refusals' },
];

/** Every page has the same navigation on its left; on a phone it folds. */
export function framed(page: DocsPage, guides: readonly Way[]): string {
  const ways = (title: string, all: readonly Way[]): string =>
    all.length === 0
      ? ''
      : `<h2>${title}</h2><ul>${all.map((way) => `<li><a href="${way.path}"${way.path === page.path ? ' aria-current="page"' : ''}>${escaped(way.title)}</a></li>`).join('')}</ul>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(page.title)} · Rialto</title>
<link rel="stylesheet" href="/docs/style.css">
<script type="module" src="/docs/app.js"></script>
</head>
<body>
<a class="skip" href="#main">To the content</a>
<header><a class="brand" href="/docs">Rialto <span>docs</span></a><nav aria-label="Elsewhere"><a href="/">Trading page</a> <a href="/openapi.json">OpenAPI</a> <a href="/llms.txt">llms.txt</a> <a href="/health">Health</a></nav></header>
<div class="columns">
<nav class="ways" aria-label="Documentation">
<details open><summary>Contents</summary>
<div class="find"></div>
${ways('Reference', REFERENCE)}${ways('Guides', guides)}${page.contents ?? ''}
</details>
</nav>
<main id="main" tabindex="-1">
${page.main}
</main>
</div>
</body>
</html>
`;
}
