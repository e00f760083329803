/** Farther than six times the mark no estimate is a plausible price of a market. */
const FAR = 5;

/**
 * How far an estimated liquidation price is from the mark, as a part of it. Undefined if there is none, or none
 * that the market could reach: such a figure says nothing, and has no room.
 */
export function liquidationDistance(liquidation: string, mark: number): number | undefined {
  if (!(Number(liquidation) > 0)) return undefined;
  const distance = Number(liquidation) / mark - 1;
  return Math.abs(distance) > FAR ? undefined : distance;
}
