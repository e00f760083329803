/** Creates and opens secrets that are sealed with the master key. */
export type KeyMaker = {
  newPair(): { readonly accessKey: string; readonly secret: string };
  /** For an authenticator: 160 bits, base 32. */
  newTotpSecret(): string;
  seal(secret: string): Uint8Array;
  unseal(sealed: Uint8Array): Uint8Array;
};
