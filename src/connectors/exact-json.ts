/** JSON with numbers as their source text, so that no digit is lost. */
export function parseExact(text: string): unknown {
  const keep = (_name: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value;
  return JSON.parse(text, keep as (name: string, value: unknown) => unknown);
}
