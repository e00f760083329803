/** Says which venue did not answer, and why: `fetch failed` alone names neither. */
export function noAnswer(baseUrl: string, cause: unknown, advice = ''): Error {
  return new Error(`no answer from the venue at ${baseUrl} (${reasonOf(cause)})${advice}`, {
    cause,
  });
}

/** The reason is in the innermost cause; when a name has several addresses, it may only have a code. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.cause instanceof Error) return reasonOf(cause.cause);
  const { message, code } = cause as NodeJS.ErrnoException;
  if (code !== undefined && UNTRUSTED.has(code)) {
    return `${message}; NODE_EXTRA_CA_CERTS=FILE names a certificate to trust`;
  }
  return message === '' ? (code ?? cause.name) : message;
}

const UNTRUSTED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
