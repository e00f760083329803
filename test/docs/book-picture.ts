/** Draws a book before and after an order: bars as long as the quantity, one row per level. */

type Level = readonly [number, number];
export type BookSide = { readonly asks: readonly Level[]; readonly bids: readonly Level[] };

const ROW = 22;
const LEFT = 70;
const PANEL = 300;
const HEAD = 54;
const BAR_MAX = 190;

export function bookPicture(words: string, before: BookSide, after: BookSide): string {
  const levels = (book: BookSide): number => book.asks.length + book.bids.length;
  const height = HEAD + (Math.max(levels(before), levels(after)) + 1) * ROW + 12;
  const most = Math.max(
    ...[before, after].flatMap(({ asks, bids }) => [...asks, ...bids].map(([, size]) => size)),
  );
  const panel = (title: string, book: BookSide, left: number): string => {
    const asks = [...book.asks].reverse();
    const rows = asks.map((level, at) => bar(level, 'ask', HEAD + at * ROW));
    const middle = HEAD + asks.length * ROW + ROW / 2;
    const bids = book.bids.map((level, at) => bar(level, 'bid', middle + ROW / 2 + at * ROW));
    const line = `<line x1="0" x2="${PANEL - 20}" y1="${middle}" y2="${middle}" class="gap"/>`;
    return `<g transform="translate(${left} 0)"><text x="0" y="${HEAD - 10}" class="head">${title}</text>${[...rows, line, ...bids].join('')}</g>`;
  };
  const bar = ([price, size]: Level, side: 'ask' | 'bid', top: number): string =>
    `<text x="0" y="${top + 15}">${price}</text><rect x="${LEFT - 10}" y="${top + 3}" width="${Math.max(2, Math.round((size / most) * BAR_MAX))}" height="${ROW - 6}" rx="2" class="${side}"/><text x="${LEFT - 4}" y="${top + 15}" class="size">${size}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${2 * PANEL + 20} ${height}" width="${2 * PANEL + 20}" height="${height}" role="img">
<title>${words}</title>
<style>text{font:12px ui-monospace,Menlo,monospace;fill:#12151a}.title{font:600 14px system-ui,sans-serif}.head{fill:#47505e;font:12px system-ui,sans-serif}.size{fill:#12151a}.ask{fill:#f3b3a9}.bid{fill:#a5dcdd}.gap{stroke:#b6bfca;stroke-dasharray:3 3}</style>
<rect width="100%" height="100%" fill="#ffffff"/>
<text x="16" y="22" class="title">${words}</text>
${panel('before', before, 16)}
${panel('after', after, 16 + PANEL)}
</svg>
`;
}
