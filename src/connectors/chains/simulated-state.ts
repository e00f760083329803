/**
 * State of the simulated chain as text and back. Bigints are decimal text under the names listed here, so
 * that no text of a user can be mistaken for one. A digest detects damaged text, a name text of another
 * chain; both are refused.
 */
import { sha256 } from './simulated-node.ts';

const FORMAT = 1;
const NUMBER_NAMES: ReadonlySet<string> = new Set([
  'amount',
  'baseFee',
  'cost',
  'pricePerUnit',
  'tipPerUnit',
  'unitsMax',
]);

export function stateToText(state: object, name: string): string {
  const body = JSON.stringify(state, (key, value: unknown) => {
    if (key === 'balances') return (value as [string, bigint][]).map(([p, a]) => [p, String(a)]);
    return typeof value === 'bigint' ? String(value) : value;
  });
  return JSON.stringify({ format: FORMAT, name, digest: sha256(body), body });
}

export function stateFromText<State>(text: string, name: string): State {
  const { format, name: found, digest, body } = headerFrom(text);
  if (format === undefined) throw new Error('the saved chain is damaged');
  if (format !== FORMAT) throw new Error(`a simulated chain of format ${format} is not known`);
  if (found !== name) throw new Error(`the saved chain is "${found}", not "${name}"`);
  if (typeof body !== 'string' || sha256(body) !== digest) {
    throw new Error('the saved chain is damaged');
  }
  return JSON.parse(body, (key, value: unknown) => {
    if (key === 'balances') return (value as [string, string][]).map(([p, a]) => [p, BigInt(a)]);
    return NUMBER_NAMES.has(key) ? BigInt(value as string) : value;
  }) as State;
}

function headerFrom(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text) ?? {}) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
