import { addressFault } from './domain/addresses.ts';

/** Found when the file is read; otherwise every request to the address would fail later. */
export function refuseUnlessHttp(member: string, text: string): void {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.hostname !== '') return;
  // The rest of it may hold a secret.
  const sent = url === null ? 'no address' : `${url.protocol}//${url.host}`;
  throw new Error(`${member} is an address such as https://host/path; it is ${sent}`);
}

/** A log server is named with or without a scheme. */
export function refuseUnlessServer(member: string, text: string): void {
  const url = URL.parse(text.includes('://') ? text : `nats://${text}`);
  if (url !== null && /^(nats|tls):$/.test(url.protocol) && url.hostname !== '') return;
  const sent = url === null ? 'no address' : `${url.protocol}//${url.host}`;
  throw new Error(
    `${member} is an address such as nats://host:4222 or tls://host:4222; it is ${sent}`,
  );
}

/** Before init: it writes tokens into the catalogue for good, and with another address there would be none to serve. */
export function refuseWrongTokens(
  network: string,
  tokens: Readonly<Record<string, { readonly tokenId: string }>>,
): void {
  for (const [asset, { tokenId }] of Object.entries(tokens)) {
    const fault = addressFault('evm', tokenId);
    if (fault === undefined) continue;
    throw new Error(
      `chains.${network}.tokens.${asset}.tokenId is the address of a contract, 0x and 40 hexadecimal digits; ` +
        `${JSON.stringify(tokenId)} is ${fault === 'malformed' ? 'none' : WHAT_IS_WRONG[fault]}`,
    );
  }
}

const WHAT_IS_WRONG = {
  'wrong checksum': 'mistyped: its small and capital letters do not fit',
  'the address of nobody': 'the address of nobody',
} as const;
