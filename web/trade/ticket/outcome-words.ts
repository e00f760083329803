import { endedWords } from '../../shared/ended-words.ts';
import { decimalsOf, shown } from '../../shared/number-text.ts';

/** What became of an order that the venue has taken. */

export type Outcome = {
  readonly kind: 'good' | 'warn';
  /** Whether some of it was filled before it ended. */
  readonly isPart: boolean;
  readonly title: string;
  readonly text: string;
};

type Answer = {
  readonly status?: string | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly amount?: string | undefined;
  readonly cumulativeMatchedQuantity?: string | undefined;
  readonly avgFillPrice?: string | undefined;
};

/**
 * It may have ended at once without what was asked for: that is no success, although nothing was refused. The
 * reason has the words of the history.
 */
export function outcomeOf(
  answer: Answer,
  of: { readonly words: string; readonly base: string; readonly minSize: string },
): Outcome {
  const { status = '', cumulativeMatchedQuantity: filled = '0' } = answer;
  if (!status.startsWith('CANCELED') || isAmountSpent(answer, of.minSize)) {
    return { kind: 'good', isPart: false, title: 'Order taken', text: of.words };
  }
  const rule = answer.message === undefined ? '' : `. ${answer.code}: ${answer.message}`;
  const why = `${endedWords(status)}${rule}`;
  if (Number(filled) === 0) {
    const text = `${of.words}. ${why}`;
    return { kind: 'warn', isPart: false, title: 'Order not filled', text };
  }
  const text = `${of.words}. ${shown(filled, decimalsOf(of.minSize))} ${of.base} filled. ${why}`;
  return { kind: 'warn', isPart: true, title: 'Order partly filled', text };
}

/** What is left of an amount to spend buys no other lot, also if the next level is dearer than those before. */
function isAmountSpent(answer: Answer, minSize: string): boolean {
  // The venue gives orders by quantity an amount of 0.
  const amount = Number(answer.amount ?? 0);
  if (amount === 0 || answer.avgFillPrice === undefined) return false;
  const price = Number(answer.avgFillPrice);
  const left = amount - price * Number(answer.cumulativeMatchedQuantity);
  return left < 2 * price * Number(minSize);
}
