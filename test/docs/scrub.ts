/** What differs between runs, and what nobody should copy, is replaced by the same text every time. */
const EXAMPLES: Readonly<Record<string, string>> = {
  accessKey: 'rkYourAccessKey',
  apiKey: 'rkYourAccessKey',
  secret: 'rsShownOnceAndNeverAgain',
  signature: 'Base64OfTheHmacSha256=',
  enrolment: 'sealed-for-the-second-step',
  uri: 'otpauth://totp/Rialto:demo-1?secret=JBSWY3DPEHPK3PXP&issuer=Rialto',
  token: 'shown-once-by-the-operator',
  nonce: '4a5b1c0d',
  confirmations: '2',
  txId: '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984bc6d2c8aa1e1b1d2f3a4b5c6',
};
/** Addresses named by the demo and the scenario; all others are derived from a new key. */
const OWN_ADDRESSES = [
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  '0x52908400098527886E0F7030069857D2E4169EE7',
];
const DEPOSIT = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
/** Enough to show how a list continues. */
const SHOWN_OF_A_LIST = 2;

/** The venue's `host`, with a different port each time, becomes that of `npm start`. */
export function scrubbed(value: unknown, host = ''): unknown {
  if (Array.isArray(value)) {
    // A candle or a level is an array too, but one value.
    const isOfThings = typeof value[0] === 'object';
    return (isOfThings ? value.slice(0, SHOWN_OF_A_LIST) : value).map((one) => scrubbed(one, host));
  }
  if (typeof value === 'string') {
    const known = value.replaceAll(host === '' ? '\n' : host, 'localhost:3000');
    return OWN_ADDRESSES.includes(known) ? known : known.replace(/0x[0-9a-fA-F]{40}\b/, DEPOSIT);
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, of]) => [
      name,
      typeof of === 'string' ? (EXAMPLES[name] ?? scrubbed(of, host)) : scrubbed(of, host),
    ]),
  );
}
