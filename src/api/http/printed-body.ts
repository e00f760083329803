/** A body that is printed while it is sent. */
export type Pieces = {
  /** Roughly the bytes that are kept for it until it is sent. */
  readonly heldBytes: number;
  /** Undefined after the last. */
  next(): string | undefined;
};

/** A list that may be too long to be printed at once: a row count, and rows made on demand. */
export class Rows<Row> {
  readonly count: number;
  readonly row: (at: number) => Row;

  constructor(count: number, row: (at: number) => Row) {
    this.count = count;
    this.row = row;
  }
}

/** Data that its handler has already printed. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const PIECE_ROWS = 100;
/** Roughly the memory of an order's record. */
const ROW_BYTES = 512;

/** Short lists in one piece, long ones piece by piece. */
export function rowsText({ count, row }: Rows<unknown>): string | Pieces {
  const print = (from: number, to: number): string => {
    const rows = Array.from({ length: to - from }, (_, at) => JSON.stringify(row(from + at)));
    const start = from === 0 ? '{"success":true,"data":[' : ',';
    return `${start}${rows.join(',')}${to === count ? ']}' : ''}`;
  };
  if (count <= PIECE_ROWS) return print(0, count);
  let printed = 0;
  return {
    heldBytes: count * ROW_BYTES,
    next() {
      if (printed === count) return undefined;
      const from = printed;
      printed = Math.min(count, from + PIECE_ROWS);
      return print(from, printed);
    },
  };
}

/** The whole body at once, for callers without a connection. */
export function wholeBody(body: string | Pieces): string {
  if (typeof body === 'string') return body;
  let whole = '';
  for (let piece = body.next(); piece !== undefined; piece = body.next()) whole += piece;
  return whole;
}

export function successText(
  data: unknown,
  extra: Readonly<Record<string, string>> | undefined,
): string {
  if (data instanceof JsonText) return `{"success":true,"data":${data.text}}`;
  if (extra === undefined) return `{"success":true,"data":${JSON.stringify(data)}}`;
  return JSON.stringify({ success: true, ...extra, data });
}
