/**
 * What a person has written: JSON that may have comments, and the mark that some editors put before a text.
 * JSON with comments: `//` to the end of the line and everything between `/*` and its end become blanks, so
 * that positions in the parser's messages stay correct. Comment marks inside strings are left alone.
 */
export function withoutComments(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replace(TOKENS, (found) => (found.startsWith('"') ? found : found.replace(/[^\n]/g, ' ')));
}

const TOKENS = /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
