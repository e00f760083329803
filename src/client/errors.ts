import { REJECTIONS, type Rejection } from '../domain/rejections.ts';

/** The published rejection codes; each keeps its meaning for ever. */
export type RejectionCode = (typeof REJECTIONS)[Rejection]['code'];

const CODES: ReadonlySet<string> = new Set(Object.values(REJECTIONS).map(({ code }) => code));

/** Whether the code of an error, or of an element of a response, is in the catalogue. */
export const isRejectionCode = (code: string | undefined): code is RejectionCode =>
  code !== undefined && CODES.has(code);

/** The venue refused. `code` is the published code; `status` is the HTTP status. */
export class RialtoError extends Error {
  /** From the catalogue, or the HTTP status if a response came without a code, for example from a proxy. */
  readonly code: RejectionCode | (string & {});
  readonly status: number;
  /** The venue repeated its earlier response to the same bytes. */
  readonly isRepeat: boolean;
  /** Identifies the request in the venue's log. */
  readonly requestId: string | undefined;
  /** After a rate limit: how long to wait. */
  readonly retryAfterMs: number | undefined;
  /** It is not known whether the request took effect: send the same `Prepared` again. */
  readonly isOutcomeUnknown: boolean;

  constructor(response: Response, code: string, message: string) {
    super(message);
    this.name = 'RialtoError';
    this.code = code;
    this.status = response.status;
    this.isRepeat = isRepeat(response);
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.retryAfterMs = retryAfterMs(response.headers.get('retry-after'));
    // 502 and 504 come from what stands between, which did not get or could not pass on the venue's answer.
    this.isOutcomeUnknown =
      response.status === 502 ||
      response.status === 504 ||
      (response.status === 503 && message.startsWith(REJECTIONS.OUTCOME_UNKNOWN.message));
  }

  /** The code if it is in the catalogue: for a `switch` that the compiler checks. */
  get rejectionCode(): RejectionCode | undefined {
    return isRejectionCode(this.code) ? this.code : undefined;
  }

  /** Whether it was refused with one of these codes; an unknown code does not compile. */
  hasCode(...codes: readonly RejectionCode[]): boolean {
    return codes.some((code) => code === this.code);
  }
}

/** In seconds; the venue does not send the other form of the header, a date. */
function retryAfterMs(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number.parseInt(text, 10) * 1_000 : undefined;
}

export const isRepeat = (response: Response): boolean =>
  response.headers.get('idempotent-replayed') === 'true';

/** The body of every response of the venue. */
export type Envelope = {
  readonly success?: unknown;
  readonly data?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
};

/** Undefined if the text is not a JSON object, for example a proxy's page. */
export function envelopeOf(text: string): Envelope | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A response without an envelope (an empty 401, a proxy's page) still has a status. */
export function failure(response: Response, envelope: Envelope | undefined): RialtoError {
  const code = typeof envelope?.code === 'string' ? envelope.code : String(response.status);
  const message = typeof envelope?.message === 'string' ? envelope.message : response.statusText;
  return new RialtoError(response, code, message);
}
