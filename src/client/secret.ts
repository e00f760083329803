/** A secret as a key that signs and cannot be read out: by WebCrypto, which is in Node and in browsers. */
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
