/**
 * JSON with comments: `//` to the end of the line and between `/*` and its end become blanks, so that positions in
 * messages of the parser still fit. Inside text nothing is a comment.
 */
export function withoutComments(text: string): string {
  return text.replace(TOKENS, (found) =>
    found.startsWith('"') ? found : found.replace(/[^\n]/g, ' '),
  );
}

const TOKENS = /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
