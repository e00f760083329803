/** Small building blocks of the pages below /docs. */

export const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

export const code = (text: string): string => `<code>${escaped(text)}</code>`;

/** Text in which `this` becomes code. */
export const inWords = (text: string): string =>
  escaped(text).replace(/`([^`]+)`/g, '<code>$1</code>');

/** A block that can be copied; `language` names it for readers and for the script. */
export const block = (text: string, language = ''): string =>
  `<pre${language === '' ? '' : ` data-language="${language}"`}><code>${escaped(text)}</code></pre>`;

export const folded = (title: string, content: string, attributes = ''): string =>
  `<details${attributes === '' ? '' : ` ${attributes}`}><summary>${escaped(title)}</summary>${content}</details>`;

export type Table = {
  readonly caption: string;
  readonly heads: readonly string[];
  /** Cells are HTML. */
  readonly rows: readonly (readonly string[])[];
};

export function table({ caption, heads, rows }: Table): string {
  if (rows.length === 0) return '';
  const head = heads.map((one) => `<th scope="col">${escaped(one)}</th>`).join('');
  const body = rows.map((cells) => `<tr>${cells.map((one) => `<td>${one}</td>`).join('')}</tr>`);
  return `<div class="table"><table><caption>${escaped(caption)}</caption><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

/** JSON as people write it: short lists and objects stay on one line. */
export function jsonText(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || flat.length <= 60) return spaced(flat);
  const deeper = `${indent}  `;
  if (Array.isArray(value)) {
    return `[\n${value.map((one) => deeper + jsonText(one, deeper)).join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value).map(
    ([name, of]) => `${deeper}${JSON.stringify(name)}: ${jsonText(of, deeper)}`,
  );
  return `{\n${members.join(',\n')}\n${indent}}`;
}

/** `{"a":1}` as `{ "a": 1 }`, strings left alone. */
const spaced = (flat: string): string =>
  flat.replace(/("(?:[^"\\]|\\.)*")|([:,])|([{}])/g, (all, text, mark, brace) => {
    if (text !== undefined) return text;
    if (mark !== undefined) return `${mark} `;
    return brace === '{' ? '{ ' : brace === '}' ? ' }' : all;
  });
