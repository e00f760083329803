/**
 * The driver takes an address without a password as one with an empty password, whatever it is given beside
 * it: the password must be in the address.
 */
export function addressWith(url: string, password: string | undefined): string {
  if (password === undefined) return url;
  const address = new URL(url);
  address.password = encodeURIComponent(password);
  return address.href;
}

/** Why a connection or a statement failed, without any password. */
export function reasonOf(cause: unknown): string {
  // Several addresses of one host fail with several reasons.
  if (cause instanceof AggregateError && cause.message === '') return reasonOf(cause.errors[0]);
  const words = cause instanceof Error ? cause.message : String(cause);
  return /client password must be a/.test(words) ? NO_PASSWORD : words;
}

const NO_PASSWORD =
  'the server asks for a password: history.passwordFile or RIALTO_HISTORY_PASSWORD';
