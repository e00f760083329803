import { shown } from './number-text.ts';

/** 50 stops new risk, 100 is liquidation; the colours begin before each of them. */
const WARN_FROM = 40;
const BAD_FROM = 80;

export function gradeOf(ratio: string): 'bad' | 'warn' | '' {
  const percent = Number(ratio);
  if (percent >= BAD_FROM) return 'bad';
  return percent >= WARN_FROM ? 'warn' : '';
}

export const ratioText = (ratio: string | undefined): string => shown(ratio, 1);
