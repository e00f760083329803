import { block, escaped } from './html.ts';

/** A guide of docs/guides as HTML: headings, paragraphs, lists, tables, code, links, pictures; nothing else. */
export type Guide = {
  readonly title: string;
  readonly html: string;
  /** Its sections, for the navigation on the left. */
  readonly sections: readonly { readonly id: string; readonly title: string }[];
};

export function guideOf(text: string): Guide {
  const sections: { id: string; title: string }[] = [];
  let title = '';
  const html = blocksOf(text).map((lines) => {
    const [first = ''] = lines;
    const heading = /^(#{1,3}) (.*)$/.exec(first);
    if (heading === null) return blockHtml(lines);
    const [, marks = '', words = ''] = heading;
    if (marks.length === 1) {
      title = words;
      return `<h1>${inline(words)}</h1>`;
    }
    const id = anchorOf(words);
    if (marks.length === 2) sections.push({ id, title: words.replaceAll('`', '') });
    const level = marks.length;
    return `<h${level} id="${id}">${inline(words)}</h${level}>`;
  });
  return { title, html: html.join('\n'), sections };
}

/** As other Markdown renderers make them, so that one link works in both places. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(' ', '-');

/** Split at empty lines, code kept whole. */
function blocksOf(text: string): string[][] {
  const blocks: string[][] = [];
  let current: string[] = [];
  let isCode = false;
  const end = (): void => {
    if (current.length > 0) blocks.push(current);
    current = [];
  };
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) {
      if (!isCode) end();
      current.push(line);
      isCode = !isCode;
      if (!isCode) end();
    } else if (isCode) current.push(line);
    else if (line.trim() === '' || line.startsWith('<!--')) end();
    else if (/^#{1,3} /.test(line)) {
      end();
      blocks.push([line]);
    } else current.push(line);
  }
  end();
  return blocks;
}

function blockHtml(lines: readonly string[]): string {
  const [first = ''] = lines;
  if (first.startsWith('```')) {
    const language = /^```(\w*)/.exec(first)?.[1] ?? '';
    return block(lines.slice(1, -1).join('\n'), language);
  }
  if (first.startsWith('|')) return tableHtml(lines);
  if (/^[-*] /.test(first)) return listHtml('ul', lines, /^[-*] /);
  if (/^\d+\. /.test(first)) return listHtml('ol', lines, /^\d+\. /);
  const picture = /^!\[([^\]]*)\]\(([^)]+)\)$/.exec(lines.join(' '));
  if (picture !== null) {
    const [, words = '', path = ''] = picture;
    const name = escaped(path.replace(/^.*\//, ''));
    return `<figure><img src="/docs/pictures/${name}" alt="${escaped(words)}" loading="lazy"><figcaption>${inline(words)}</figcaption></figure>`;
  }
  return `<p>${inline(lines.join(' '))}</p>`;
}

function tableHtml(lines: readonly string[]): string {
  const cells = (line: string): string[] =>
    line
      .replace(/^\||\|$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.replaceAll('\\|', '|').trim()));
  const [head = '', , ...rows] = lines;
  const heads = cells(head).map((cell) => `<th scope="col">${cell}</th>`);
  const body = rows.map(
    (row) =>
      `<tr>${cells(row)
        .map((cell) => `<td>${cell}</td>`)
        .join('')}</tr>`,
  );
  return `<div class="table"><table><thead><tr>${heads.join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

/** One level; an indented line continues the item before it. */
function listHtml(kind: 'ul' | 'ol', lines: readonly string[], mark: RegExp): string {
  const items: string[] = [];
  for (const line of lines) {
    if (mark.test(line)) items.push(line.replace(mark, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  return `<${kind}>${items.map((item) => `<li>${inline(item)}</li>`).join('')}</${kind}>`;
}

/** Code first: nothing inside it is interpreted. */
function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part) =>
      part.length > 1 && part.startsWith('`')
        ? `<code>${escaped(part.slice(1, -1))}</code>`
        : escaped(part)
            .replace(/\*\*([^*]+)\*\*/g, '<b>$1</b>')
            .replace(
              /\[([^\]]+)\]\(([^)]+)\)/g,
              (_, words, target) => `<a href="${placeOf(target)}">${words}</a>`,
            ),
    )
    .join('')
    .replace(
      /\[((?:<code>)[^\]]*)\]\(([^)]+)\)/g,
      (_, words, target) => `<a href="${placeOf(target)}">${words}</a>`,
    );
}

/** Guides link to one another and to documents of the repository; the page has only the guides. */
function placeOf(target: string): string {
  if (/^(https?:|#|\/)/.test(target)) return target;
  const guide = /^(?:\.\/)?([a-z][\w-]*)\.md(#.*)?$/.exec(target);
  if (guide !== null) return `/docs/guides/${guide[1]}${guide[2] ?? ''}`;
  return ELSEWHERE.find(([name]) => target.includes(name))?.[1] ?? '/docs';
}

const ELSEWHERE: readonly (readonly [string, string])[] = [
  ['STREAM.md', '/docs/stream'],
  ['OPERATOR-API.md', '/docs/operator'],
  ['SANDBOX-API.md', '/docs/sandbox'],
  ['API.md#refusals', '/docs/errors'],
];
