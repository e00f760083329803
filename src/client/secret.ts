/** Imports a secret as a signing key that cannot be extracted, with WebCrypto, which Node and browsers have. */
export const importSecret = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );

export async function hmacBase64(key: CryptoKey, message: string): Promise<string> {
  const bytes = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(message));
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
