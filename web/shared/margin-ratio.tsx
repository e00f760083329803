import { gradeOf, ratioText } from './margin-grade.ts';
import { NONE } from './number-text.ts';

/** The venue's value for an account that needs margin and has no collateral. */
const NO_COLLATERAL = 999_999;

/** A margin ratio, in the colour of its danger. */
export function Ratio({ of }: { readonly of: string | undefined }) {
  if (of === undefined) return NONE;
  const isBare = Number(of) >= NO_COLLATERAL;
  return (
    <data value={of} className={gradeOf(of)} title={isBare ? 'No collateral is left' : of}>
      {ratioText(of)}
    </data>
  );
}
