import type { SignedBy } from '../../src/domain/actors.ts';
import type { Command } from '../../src/domain/commands.ts';
import type { AccountIndex } from '../../src/domain/units.ts';
import { SECOND_FACTORS } from '../../src/domain/wallet.ts';
import type { FactorUse } from '../../src/domain/wallet-commands.ts';
import { type Model, must } from './model/state.ts';
import type { Random } from './random.ts';

/** What users might do about passwords, sessions, keys and sub-accounts; some of it is refused. */
export class AccessIdeas {
  readonly #random: Random;
  #made = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  next(model: Model, signed: (key: number) => SignedBy): Command {
    const random = this.#random;
    const by = signed(this.#signer(model));
    const account = this.#account(model);
    const sealedPassword = new Uint8Array([1]);
    const used = this.#used(model);
    switch (
      random.weighted({
        invite: 3,
        accept: 4,
        password: 2,
        signIn: 8,
        open: 3,
        key: 5,
        end: 4,
        sub: 4,
      })
    ) {
      case 'invite': {
        const family = random.pick(model.families).name;
        const expiresAtMs = model.timeMs + random.pick([0, 60_000, 86_400_000, 8 * 86_400_000]);
        const tokenHash = `token-${++this.#made}`;
        return { kind: 'invite-user', actor: 'simulation', family, tokenHash, expiresAtMs };
      }
      case 'accept': {
        const invited = model.families.flatMap(({ invitation }) => invitation?.token ?? []);
        const tokenHash = invited.length > 0 ? random.pick(invited) : 'none';
        return { kind: 'accept-invitation', tokenHash, sealedPassword, ...used };
      }
      case 'password': {
        const passwordVersion = random.below(4);
        return { kind: 'set-password', by, passwordVersion, sealedPassword, ...used };
      }
      case 'signIn': {
        const family = model.accounts.get(account)?.family;
        const version = family === undefined ? 1 : must(model.families[family]).passwords;
        const passwordVersion = random.chance(0.9) ? version : version + 1;
        return { kind: 'sign-in', ...this.#session(model, account), passwordVersion, ...used };
      }
      case 'open':
        return random.chance(0.5)
          ? { kind: 'open-session', by, ...this.#session(model, account) }
          : { kind: 'open-demo-session', ...this.#session(model, account) };
      case 'key':
        return {
          kind: 'create-own-key',
          by,
          account,
          accessKey: `own-${++this.#made}`,
          sealedSecret: new Uint8Array([1]),
          label: 'own',
          permissions: random.chance(0.4) ? ['read', 'trade', 'withdraw'] : ['read', 'trade'],
          ...(random.chance(0.3) ? { expiresAtMs: model.timeMs + random.between(0, 300_000) } : {}),
          ...used,
        };
      case 'end':
        return { kind: 'revoke-own-key', by, accessKey: random.pick(model.keys).accessKey };
      case 'sub':
        return this.#subAccount(by, account);
    }
  }

  #subAccount(by: SignedBy, account: AccountIndex): Command {
    const random = this.#random;
    const name = random.chance(0.2) ? 'main' : `desk ${++this.#made}`;
    switch (random.weighted({ make: 1, rename: 3, freeze: 4 })) {
      case 'make':
        return { kind: 'create-sub-account', by, name, accountType: 'PORTFOLIO' };
      case 'rename':
        return { kind: 'rename-account', by, account, name };
      case 'freeze':
        return { kind: 'freeze-account', by, account, isFrozen: random.chance(0.5) };
    }
  }

  #session(model: Model, account: AccountIndex) {
    const lastsMs = this.#random.pick([0, 1_000, 3_600_000, 86_400_000, 86_400_001]);
    return {
      account,
      accessKey: `session-${++this.#made}`,
      sealedSecret: new Uint8Array([1]),
      expiresAtMs: model.timeMs + lastsMs,
    };
  }

  /** Mostly one that is allowed to; sometimes any. */
  #signer(model: Model): number {
    const random = this.#random;
    const able = model.keys.flatMap((key, index) =>
      key.permissions.includes('withdraw') && !key.isRevoked ? [index] : [],
    );
    const isAny = able.length === 0 || random.chance(0.1);
    return isAny ? random.below(model.keys.length) : random.pick(able);
  }

  #account(model: Model): AccountIndex {
    const random = this.#random;
    const any = random.chance(0.97) ? random.pick([...model.accounts.keys()]) : 3;
    return any as AccountIndex;
  }

  #used(model: Model): { readonly used?: FactorUse } {
    const random = this.#random;
    if (model.wallet.factors.length === 0 || random.chance(0.3)) return {};
    const { factor, steps } = random.pick(model.wallet.factors);
    const name = SECOND_FACTORS.find((one) => one === factor) ?? 'GOOGLE';
    return { used: { factor: name, step: Math.max(0, Math.max(...steps) + random.below(5) - 2) } };
  }
}
