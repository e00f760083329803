import { fitting, grouped } from '../shared/number-text.ts';

/**
 * Shared by the canvases of the book and of the trades: they are drawn, not laid out, because they change
 * many times a second.
 */

export type Sheet = {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  /** A token by its name, such as "--text". */
  readonly colour: (token: string) => string;
  readonly fontFamily: string;
};

/** The cleared canvas, sized to its box in device pixels, with the font of tables. */
export function sheetOf(canvas: HTMLCanvasElement): Sheet | undefined {
  const context = canvas.getContext('2d');
  if (context === null) return undefined;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const ratio = devicePixelRatio;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  const style = getComputedStyle(canvas);
  const { fontFamily } = style;
  context.font = `450 12px ${fontFamily}`;
  context.textBaseline = 'middle';
  const colour = (token: string): string => style.getPropertyValue(token).trim();
  return { context, width, height, colour, fontFamily };
}

/** The text positions of three columns: left, and right-aligned at two thirds and at the end. */
export const columnsOf = (width: number) => ({
  first: 12,
  second: 12 + ((width - 24) * 2) / 3,
  third: width - 12,
});

/** Between two figures of a row. */
const GAP_PX = 8;
/** No digit of the font of tables is wider: most figures fit without being measured. */
const DIGIT_MAX_PX = 8;

const widthMax = (text: string): number => text.length * DIGIT_MAX_PX;

/**
 * A size in the second column, in the room that the price leaves, or in the third: figures never lie upon each
 * other.
 */
export function sizeIn(
  { context, width }: Pick<Sheet, 'context' | 'width'>,
  size: string,
  before?: { readonly text: string; readonly left: number },
): string {
  const { second, third } = columnsOf(width);
  const widthOf = (text: string): number => context.measureText(text).width;
  const roomBeside = (taken: number): number =>
    before === undefined ? third - second - GAP_PX : second - before.left - taken - GAP_PX;
  const whole = grouped(size);
  if (widthMax(whole) <= roomBeside(before === undefined ? 0 : widthMax(before.text))) return whole;
  const room = roomBeside(before === undefined ? 0 : widthOf(before.text));
  return fitting(size, (text) => widthOf(text) <= room);
}

/** Row height of the book and the trades; larger for touch. */
export const rowHeight = (): number =>
  Number.parseInt(getComputedStyle(document.documentElement).getPropertyValue('--row'), 10) || 20;

/** Whole rows only. */
export const rowsIn = (area: Element | null | undefined): number =>
  Math.max(0, Math.floor((area?.clientHeight ?? 0) / rowHeight()));

/** Draws a fixed delay after a change, so never more often than that. */
export function paced(
  draw: () => void,
  periodMs: () => number,
): { readonly onChange: () => void; readonly stop: () => void } {
  let drawnAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    onChange: () => {
      if (timer !== undefined) return;
      const waitMs = periodMs() - (performance.now() - drawnAt);
      timer = setTimeout(
        () => {
          timer = undefined;
          drawnAt = performance.now();
          draw();
        },
        Math.max(0, waitMs),
      );
    },
    stop: () => clearTimeout(timer),
  };
}
