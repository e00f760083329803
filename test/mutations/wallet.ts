import type { Mutation } from './mutation.ts';

/** Deposits and withdrawals. */
export const WALLET_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a code of a second factor works twice',
    rule: '8 second factors',
    file: 'wallet/factors.ts',
    find: 'if (used.step <= factor.lastStep) {',
    replace: 'if (used.step < factor.lastStep) {',
  },
  {
    name: 'who sends no code needs none',
    rule: '8 second factors',
    file: 'wallet/factors.ts',
    find: 'if (required.length === 0) return undefined;',
    replace: 'return undefined;',
  },
  {
    name: 'a wrong code blocks nobody',
    rule: '8 second factors',
    file: 'wallet/factors.ts',
    find: 'if (nowMs < family.blockedUntilMs) {',
    replace: 'if (nowMs < 0) {',
  },
  {
    name: 'a key that may trade enrols a factor',
    rule: '8 second factors',
    file: 'commands/check-signer.ts',
    find: "    case 'enrol-factor':\n",
    replace: '',
  },
  {
    name: 'an address with a wrong checksum is paid to',
    rule: '8 destinations',
    file: 'wallet/addresses.ts',
    find: 'return addressFault(addressFormat, address);',
    replace:
      "return addressFault(addressFormat, address) === 'malformed' ? 'malformed' : undefined;",
  },
  {
    name: 'a tag may have more than 32 bits',
    rule: '8 destinations',
    file: 'wallet/addresses.ts',
    find: 'const TAG_MAX = 2 ** 32 - 1;',
    replace: 'const TAG_MAX = 2 ** 33;',
  },
  {
    name: 'whitelist mode lets every saved address through',
    rule: '8 destinations',
    file: 'commands/request-withdrawal.ts',
    find: 'return saved?.whitelisted === true ?',
    replace: 'return saved !== undefined ?',
  },
  {
    name: 'the burn fee is the venue’s',
    rule: '8 fees',
    file: 'wallet/costs.ts',
    find: 'externalFee ? quantity + fee + burnFee : quantity',
    replace: 'externalFee ? quantity + fee : quantity',
  },
  {
    name: 'a fee that has risen is charged at once',
    rule: '8 fees',
    file: 'wallet/costs.ts',
    find: 'nowMs < feeSetAtMs + ESTIMATE_MS && feeBefore < fee',
    replace: 'false',
  },
  {
    name: 'a quantity that its fees eat up is taken',
    rule: '8 fees',
    file: 'wallet/costs.ts',
    find: 'if (!externalFee && quantity <= fee + burnFee) {',
    replace: 'if (!externalFee && quantity < fee + burnFee) {',
  },
  {
    name: 'the limit of a day is one withdrawal’s',
    rule: '8 limits and holds',
    file: 'commands/request-withdrawal.ts',
    find: 'if (spent + value > daily) {',
    replace: 'if (value > daily) {',
  },
  {
    name: 'a new address is old at once',
    rule: '8 limits and holds',
    file: 'commands/request-withdrawal.ts',
    find: "if (holdEndMs > state.timeMs) holds.push('new-address');",
    replace: '',
  },
  {
    name: 'one operator releases what is above the limit',
    rule: '8 limits and holds',
    file: 'commands/operate-wallet.ts',
    find: 'const OPERATORS_NEEDED = 2;',
    replace: 'const OPERATORS_NEEDED = 1;',
  },
  {
    name: 'a withdrawal that waits for time lets the venue rest',
    rule: '8 limits and holds',
    file: 'risk/at-stake.ts',
    find: '  wallet.timedHolds === 0 &&\n',
    replace: '',
  },
];
