import type { GuideParts } from './guide-parts.ts';

const BEGIN = '<!-- computed by npm run docs -->';
const END = '<!-- end -->';

/** A guide with the computed content between its markers. */
export function withTable(guide: string, lines: readonly string[]): string {
  const begin = guide.indexOf(BEGIN);
  const end = guide.indexOf(END, begin);
  if (begin < 0 || end < 0) throw new Error(`a guide with a table has ${BEGIN} and ${END}`);
  return `${guide.slice(0, begin + BEGIN.length)}\n\n${lines.join('\n')}\n\n${guide.slice(end)}`;
}

/** Every generated file with its content; `read` returns the current one. */
export const guideFiles = (
  { tables, pictures }: GuideParts,
  read: (path: string) => string,
): ReadonlyMap<string, string> =>
  new Map([
    ...Object.entries(tables).map(([name, lines]): [string, string] => {
      const path = `docs/guides/${name}.md`;
      return [path, withTable(read(path), lines)];
    }),
    ...Object.entries(pictures).map(([name, svg]): [string, string] => [
      `docs/guides/pictures/${name}`,
      svg,
    ]),
  ]);
