import type { SignedBy } from '../../src/domain/actors.ts';
import type { Command } from '../../src/domain/commands.ts';
import {
  type AccountIndex,
  type AssetIndex,
  amount,
  type KeyIndex,
  type NetworkIndex,
} from '../../src/domain/units.ts';
import { SECOND_FACTORS } from '../../src/domain/wallet.ts';
import type { FactorUse } from '../../src/domain/wallet-commands.ts';
import { RIGHT_ADDRESSES, WRONG_ADDRESSES } from './model/addresses.ts';
import { availableOf } from './model/money.ts';
import { type Model, must } from './model/state.ts';
import type { Random } from './random.ts';

/**
 * What users, operators and chains might request of the wallet next: valid and invalid requests, deposits
 * that arrive, vanish and come back, senders that do each step, and some out of turn.
 */
export class WalletIdeas {
  readonly #random: Random;
  #transactions = 0;
  #steps = 0;
  #height = 100;

  constructor(random: Random) {
    this.#random = random;
  }

  next(model: Model, signed: (key: number) => SignedBy): Command {
    const random = this.#random;
    const operator = random.pick(['ann', 'bob']);
    switch (
      random.weighted({
        request: 14,
        send: 18,
        sweep: 3,
        deposit: 8,
        keep: 1,
        operate: 4,
        set: 1,
        wait: 1,
      })
    ) {
      case 'request':
        return this.#request(model, signed);
      case 'send':
        return this.#send(model);
      case 'sweep':
        return this.#sweep(model);
      case 'deposit':
        return this.#deposit(model);
      case 'keep':
        return this.#keep(model, signed);
      case 'operate':
        return this.#operate(model, operator);
      case 'set':
        return this.#set(model, operator);
      case 'wait':
        return { kind: 'tick' };
    }
  }

  #request(model: Model, signed: (key: number) => SignedBy): Command {
    const random = this.#random;
    const key = this.#key(model);
    const { account } = must(model.keys[key]);
    if (random.chance(0.15)) {
      return { kind: 'cancel-withdrawal', by: signed(key), id: this.#withdrawal(model) };
    }
    if (random.chance(0.05)) return { kind: 'note-wrong-code', by: signed(key) };
    const place = this.#place(model);
    const available = availableOf(model, account, place.asset);
    const share = random.pick([0, 0.01, 0.1, 0.5, 1, 1.2]);
    const parts = share === 1 ? available : BigInt(Math.floor(Number(available) * share));
    return {
      kind: 'request-withdrawal',
      by: signed(key),
      ...place,
      quantity: amount(parts),
      externalFee: random.chance(0.4),
      ...this.#code(model, account),
    };
  }

  /** Mostly the next step of some withdrawal. */
  #send(model: Model): Command {
    const random = this.#random;
    const id = this.#withdrawal(model);
    const found = model.wallet.withdrawals.find((one) => one.id === id);
    const gas = random.chance(0.5)
      ? { gas: { asset: 0 as AssetIndex, amount: amount(BigInt(random.below(1_000_000))) } }
      : {};
    const step = random.chance(0.1)
      ? random.pick(['take', 'sign', 'confirm', 'fail'])
      : found === undefined || found.status === 'PENDING' || found.status === 'IN SWEEPING'
        ? 'take'
        : found.txIds.length === 0 || random.chance(0.2)
          ? 'sign'
          : random.chance(0.8)
            ? 'confirm'
            : 'fail';
    if (step === 'take') {
      const next = model.wallet.networks[found?.network ?? 0]?.nextNonce ?? 0;
      const nonce = random.chance(0.95) ? next : next - 1;
      return { kind: 'take-withdrawal', id, ...(random.chance(0.2) ? {} : { nonce }) };
    }
    if (step === 'sign') {
      const again = found?.txIds.at(-1);
      const isAgain = again !== undefined && random.chance(0.3);
      return {
        kind: 'record-transaction',
        id,
        txId: isAgain ? again : `tx${++this.#transactions}`,
        nonce: found?.nonce ?? 0,
        rawBytes: new Uint8Array([1, 2, 3]),
      };
    }
    const txId = found?.txIds.at(random.chance(0.8) ? -1 : 0) ?? 'none';
    if (step === 'confirm') return { kind: 'confirm-withdrawal', id, txId, ...gas };
    return { kind: 'fail-withdrawal', id, cause: 'reverted', ...gas };
  }

  /** Few addresses, so that several steps of one payment occur. */
  #sweep(model: Model): Command {
    const random = this.#random;
    const network = random.below(2) as NetworkIndex;
    const [account = 0] = [...model.accounts.keys()].slice(random.below(2));
    const step = random.pick(['top-up', 'sweep'] as const);
    const place = { network, account: account as AccountIndex, step };
    const known = model.wallet.sweeps.get(`${network}/${account}/${step}`);
    const gas = { asset: 0 as AssetIndex, amount: amount(BigInt(random.below(1_000))) };
    if (random.chance(known === undefined ? 0.05 : 0.5)) {
      return { kind: 'end-sweep', ...place, txId: known?.txIds.at(-1) ?? 'none', gas };
    }
    const next = model.wallet.networks[network]?.nextNonce ?? 0;
    const isSame = known !== undefined && random.chance(0.8);
    const isKnownId = isSame && random.chance(0.5);
    return {
      kind: 'record-sweep',
      ...place,
      asset: (isSame ? known.asset : random.below(2)) as AssetIndex,
      chainAmount: BigInt(1 + random.below(9)),
      nonce: isSame ? known.nonce : random.chance(0.9) ? next : Math.max(0, next - 1),
      txId: (isKnownId ? known.txIds.at(0) : undefined) ?? `sweep${++this.#transactions}`,
      rawBytes: new Uint8Array([4, 5]),
    };
  }

  #deposit(model: Model): Command {
    const random = this.#random;
    const { deposits } = model.wallet;
    const known = deposits.length > 0 && random.chance(0.7) ? random.pick(deposits) : undefined;
    if (known === undefined) return this.#seeNew(model);
    const [, txId = '', output = '0'] = known.name.split(' ');
    const name = { network: known.network as NetworkIndex, txId, output: Number(output) };
    if (known.status === 'PENDING' && random.chance(0.7))
      return { kind: 'credit-deposit', ...name };
    if (random.chance(0.3)) return { kind: 'lose-deposit', ...name };
    if (random.chance(0.2)) return { kind: 'credit-deposit', ...name };
    return {
      kind: 'see-deposit',
      ...name,
      account: known.account as AccountIndex,
      asset: known.asset as AssetIndex,
      address: 'address',
      height: random.chance(0.5) ? known.height : known.height + 1,
      chainAmount: 1n,
    };
  }

  #seeNew(model: Model): Command {
    const random = this.#random;
    const { asset, network } = this.#place(model);
    if (random.chance(0.1)) {
      this.#height += random.pick([1, 100, 6_000]);
      return { kind: 'reach-height', network, height: this.#height };
    }
    return {
      kind: 'see-deposit',
      network,
      asset,
      account: random.pick([...model.accounts.keys()]) as AccountIndex,
      address: 'address',
      txId: `in${++this.#transactions}`,
      output: random.below(2),
      height: this.#height,
      chainAmount: BigInt(Math.floor(10 ** random.between(1, 11) * (0.1 + random.next()))),
    };
  }

  /** Addresses, whitelist mode, second factors. */
  #keep(model: Model, signed: (key: number) => SignedBy): Command {
    const random = this.#random;
    const key = this.#key(model);
    const by = signed(key);
    const { account } = must(model.keys[key]);
    const used = this.#code(model, account);
    const factor = random.pick(SECOND_FACTORS);
    switch (random.weighted({ save: 4, remove: 2, mode: 2, enrol: 0.2, drop: 1 })) {
      case 'save': {
        return {
          kind: 'save-address',
          by,
          ...this.#place(model),
          ...(random.chance(0.8) ? { label: 'mine' } : {}),
          ...(random.chance(0.8) ? { whitelisted: random.chance(0.7) } : {}),
          ...used,
        };
      }
      case 'remove':
        return { kind: 'remove-address', by, ...this.#place(model) };
      case 'mode':
        return { kind: 'set-whitelist-mode', by, isOn: random.chance(0.15), ...used };
      case 'enrol': {
        const sealedSecret = new Uint8Array([7]);
        return { kind: 'enrol-factor', by, factor, sealedSecret, step: ++this.#steps, ...used };
      }
      case 'drop':
        return { kind: 'remove-factor', by, factor, ...used };
    }
  }

  #operate(model: Model, actor: string): Command {
    const random = this.#random;
    if (random.chance(0.15)) return this.#reset(model, actor);
    if (random.chance(0.6)) {
      const act = random.pick(['hold', 'release', 'release', 'release', 'cancel'] as const);
      return { kind: 'operate-withdrawal', actor, id: this.#withdrawal(model), act, reason: 'why' };
    }
    const open = model.wallet.deposits.filter((one) => one.status === 'ON HOLD' || one.isVanished);
    const found = open.length > 0 && random.chance(0.8) ? random.pick(open) : undefined;
    const id = found?.id ?? random.below(model.wallet.deposits.length + 2);
    const act = random.pick(['complete', 'reverse'] as const);
    return { kind: 'operate-deposit', actor, id, act, reason: 'why' };
  }

  /** Mostly an enrolled factor. */
  #reset(model: Model, actor: string): Command {
    const random = this.#random;
    const { factors, networks } = model.wallet;
    if (random.chance(0.2)) {
      const { spec, height } = random.pick(networks);
      const from = height + random.pick([2, 1, 0, -9_999, -10_000, -20_000]);
      return { kind: 'note-rescan', actor, network: spec.name, height: from, reason: 'why' };
    }
    const known = factors.length > 0 && random.chance(0.9) ? random.pick(factors) : undefined;
    const family = known?.family ?? random.below(model.families.length);
    const { name } = must(model.families[family]);
    const factor = (known?.factor ?? random.pick(SECOND_FACTORS)) as FactorUse['factor'];
    return { kind: 'reset-factor', actor, family: name, factor, reason: 'why' };
  }

  #set(model: Model, actor: string): Command {
    const random = this.#random;
    const { asset, network } = this.#place(model);
    if (random.chance(0.1)) return { kind: 'release-withdrawal-fee', actor, network, asset };
    if (random.chance(0.5)) {
      const fee = amount(BigInt(random.pick([0, 10, 1_000, 5_000_000])));
      const by = random.chance(0.2) ? { actor } : {};
      return { kind: 'set-withdrawal-fee', ...by, network, asset, fee };
    }
    if (random.chance(0.4)) {
      const of = (units: number) => amount(BigInt(units) * 10n ** 8n);
      const daily = of(random.pick([1_000, 1_000_000, 1_000_000_000]));
      return {
        kind: 'set-withdrawal-limits',
        actor,
        daily,
        automatic: of(random.pick([10, 1_000_000])),
      };
    }
    return {
      kind: 'set-network-state',
      actor,
      network: must(model.wallet.networks[network]).spec.name,
      asset: must(model.assets[asset]).spec.code,
      canDeposit: random.chance(0.8),
      canWithdraw: random.chance(0.8),
    };
  }

  /** An asset and a network, which mostly belong together. */
  #place(model: Model) {
    const random = this.#random;
    const network = random.below(model.wallet.networks.length) as NetworkIndex;
    const { spec } = must(model.wallet.networks[network]);
    const code = random.pick(spec.assets).asset;
    const own = model.assets.findIndex((one) => one.spec.code === code);
    const asset = (random.chance(0.97) ? own : random.below(model.assets.length)) as AssetIndex;
    const right = RIGHT_ADDRESSES[spec.addressFormat ?? 'evm'];
    const address = random.pick(random.chance(0.95) ? right : WRONG_ADDRESSES);
    const hasMemo = random.chance(0.95) ? spec.needsMemo : !spec.needsMemo;
    const memo = random.chance(0.95) ? '7' : random.pick(['0x7', '4294967296']);
    return { network, asset, address, ...(hasMemo ? { memo } : {}) };
  }

  #code(model: Model, account: number): { used?: FactorUse } {
    const random = this.#random;
    const { family } = must(model.accounts.get(account));
    const factor = model.wallet.factors.find((one) => one.family === family);
    if (factor === undefined ? random.chance(0.97) : random.chance(0.05)) return {};
    const name = factor === undefined ? 'GOOGLE' : factor.factor;
    const newest = Math.max(0, ...(factor?.steps ?? []));
    const step = Math.max(0, newest + random.pick([1, 1, 2, 4, 0, -1, -2, -3]));
    return { used: { factor: name as FactorUse['factor'], step } };
  }

  #withdrawal(model: Model): number {
    const random = this.#random;
    const open = model.wallet.withdrawals.filter(
      ({ status }) => !['COMPLETED', 'CANCELED', 'FAILED'].includes(status),
    );
    if (open.length > 0 && random.chance(0.95)) return random.pick(open).id;
    return random.below(model.wallet.withdrawals.length + 2);
  }

  #key(model: Model): number {
    const random = this.#random;
    const able = model.keys.flatMap((key, index) =>
      key.permissions.includes('withdraw') && !key.isRevoked ? [index] : [],
    );
    const isAny = able.length === 0 || random.chance(0.05);
    return (isAny ? random.below(model.keys.length) : random.pick(able)) as KeyIndex;
  }
}
