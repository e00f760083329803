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
