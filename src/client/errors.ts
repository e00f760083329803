import { REJECTIONS, type Rejection } from '../domain/rejections.ts';

/** The published codes of refusals; each keeps its meaning for ever. */
export type RejectionCode = (typeof REJECTIONS)[Rejection]['code'];

const CODES: ReadonlySet<string> = new Set(Object.values(REJECTIONS).map(({ code }) => code));

/** Whether a code, of an error or of an element of a response, is one of the catalogue. */
export const isRejectionCode = (code: string | undefined): code is RejectionCode =>
  code !== undefined && CODES.has(code);

/** The venue refused. `code` is the published one; `status` is HTTP's. */
export class RialtoError extends Error {
  /** Of the catalogue, or HTTP's status where a response came without one, such as a proxy's. */
  readonly code: RejectionCode | (string & {});
  readonly status: number;
  /** The venue gave this response to the same bytes before. */
  readonly isRepeat: boolean;
  /** Names the request in the venue's log. */
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
    this.isOutcomeUnknown =
      response.status === 503 && message.startsWith(REJECTIONS.OUTCOME_UNKNOWN.message);
  }

  /** The code where it is of the catalogue: for a `switch` that the compiler checks. */
  get rejectionCode(): RejectionCode | undefined {
    return isRejectionCode(this.code) ? this.code : undefined;
  }

  /** Whether it was refused with one of these codes; a code that does not exist does not compile. */
  hasCode(...codes: readonly RejectionCode[]): boolean {
    return codes.some((code) => code === this.code);
  }
}

/** Seconds; the other form of the header, a date, is not sent by the venue. */
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

/** Undefined for what is no JSON object, such as a proxy's page. */
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
