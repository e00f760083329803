import type { Refused } from './form.ts';
import type { PreviewResult } from './preview.ts';

/** A refusal that the ticket goes on showing while its form stays as it is. */
export type ShownRefusal = {
  /** The order that it is about. */
  readonly of: string;
  readonly code: string;
  readonly detail: Refused;
  /** The preview has said the same: then it also says when it is over. */
  readonly isForeseen: boolean;
  /** The preview that was there before it. */
  readonly seen: PreviewResult;
};

/**
 * What is left of it after a later preview: nothing if the venue would now take the order, or refuse it for
 * another reason. A refusal that no preview foresees stays.
 */
export function afterPreview(
  refusal: ShownRefusal | undefined,
  preview: PreviewResult,
): ShownRefusal | undefined {
  const isAnswer = preview.data !== undefined || preview.refusal !== undefined;
  if (refusal === undefined || preview === refusal.seen || !isAnswer) return refusal;
  const code = preview.refusal?.code;
  if (code === refusal.code) return { ...refusal, isForeseen: true, seen: preview };
  return code === undefined && !refusal.isForeseen ? refusal : undefined;
}
