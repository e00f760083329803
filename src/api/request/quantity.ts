import {
  type Decimal,
  decimalFromText,
  partsFromDecimal,
  textFromParts,
} from '../../domain/decimal.ts';
import { type Refusal, refuse } from '../../domain/rejections.ts';
import { AMOUNT_LIMIT, type Amount, type AssetIndex, amount } from '../../domain/units.ts';
import type { Directory } from '../../domain/views.ts';

/** Exact at the asset's scale, or refused with the nearest valid value. */
export function quantityParts(
  directory: Directory,
  asset: AssetIndex,
  text: string,
): Amount | Refusal {
  const { code, scale } = directory.asset(asset);
  const read = decimalFromText(text);
  if (read === undefined) return refuse('PARAMETER_INVALID', `quantity ${text} is no number`);
  const parts = partsFromDecimal(read, scale);
  if (parts === undefined) return tooManyDecimals(read, code, scale, text);
  if (parts >= AMOUNT_LIMIT || parts <= -AMOUNT_LIMIT) {
    const most = textFromParts(AMOUNT_LIMIT - 1n, scale);
    return refuse('PARAMETER_INVALID', `quantity ${text} is beyond what can be held, ${most}`);
  }
  return amount(parts);
}

function tooManyDecimals(read: Decimal, code: string, scale: number, text: string): Refusal {
  const whole = read.digits / 10n ** BigInt(read.scale - scale);
  // Zero would be refused as well.
  const nearest = textFromParts(whole === 0n && read.digits > 0n ? 1n : whole, scale);
  return refuse(
    'TOO_MANY_DECIMALS',
    `quantity ${text} has ${read.scale} decimals, ${code} has ${scale}; nearest ${nearest}`,
  );
}
