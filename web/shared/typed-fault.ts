import { isZero, typedNumber } from './number-text.ts';

/** What is wrong with a number that was typed, in the words that follow its field's name; undefined if nothing is. */
export function typedFault(typed: string): string | undefined {
  const text = typedNumber(typed);
  if (text === undefined) return typed.trim() === '' ? 'is needed' : 'is no number';
  return isZero(text) ? 'must be above 0' : undefined;
}
