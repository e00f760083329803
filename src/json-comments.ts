/**
 * JSON with comments: `//` to the end of the line and everything between `/*` and its end become blanks, so
 * that positions in the parser's messages stay correct. Comment marks inside strings are left alone.
 */
export function withoutComments(text: string): string {
  return text.replace(TOKENS, (found) =>
    found.startsWith('"') ? found : found.replace(/[^\n]/g, ' '),
  );
}

const TOKENS = /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
