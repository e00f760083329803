import { unreachable } from '../../domain/assert.ts';
import type { MoveFunds, OperatorCommand } from '../../domain/commands.ts';
import { textFromParts } from '../../domain/decimal.ts';
import { priceText } from '../../domain/market.ts';
import { type AssetIndex, type NetworkIndex, USD_SCALE } from '../../domain/units.ts';
import { assetIndexOf, type Market, type State } from '../state.ts';
import { findAccount } from './manage-accounts.ts';
import { heldBy, holderText } from './move-funds.ts';
import { payOutAsked } from './pay-out.ts';

/** An operator's act for the audit log: what it is, its subject, and the subject's current state. */
export type ActDescription = {
  readonly act: string;
  readonly subject: string;
  readonly standing: string;
  readonly reason: string;
};

/** Called before an act and after it, for the audit log. What does not exist is described as nothing. */
export function describeAct(state: State, command: Act): ActDescription {
  const act = 'act' in command ? `${command.kind} ${command.act}` : command.kind;
  const reason = 'reason' in command ? command.reason : '';
  return { act, reason, ...subjectOf(state, command) };
}

type Act = Exclude<OperatorCommand, { readonly kind: 'note-refusal' }>;
type Subject = Pick<ActDescription, 'subject' | 'standing'>;

function subjectOf(state: State, command: Act): Subject {
  switch (command.kind) {
    case 'define-asset':
      return named(command.asset.code, isThere(state.assetByCode.has(command.asset.code)));
    case 'define-network': {
      const { name } = command.network;
      return named(name, isThere(state.networks.some((one) => one.name === name)));
    }
    case 'define-market':
      return named(command.market.code, isThere(state.marketByCode.has(command.market.code)));
    case 'create-account': {
      const { family, name } = command.account;
      const account = findAccount(state, command.account);
      const standing = account === undefined ? '' : (state.accounts[account]?.accountType ?? '');
      return named(`${family}/${name}`, standing);
    }
    case 'invite-user':
      return named(command.family, `invited until ${command.expiresAtMs}`);
    case 'create-key':
    case 'revoke-key':
      return ofKey(state, command.accessKey);
    case 'set-restrictions':
      return ofRestrictions(state, command.family, command.subAccount);
    case 'set-market-state':
    case 'cancel-market':
    case 'change-market':
      return ofMarket(state, command.market, command.kind);
    case 'note-backup':
      return named(command.folder, '');
    case 'note-operator':
      return named(command.name, command.roles.join(', ') || 'disabled');
    default:
      return subjectOfVenue(state, command);
  }
}

type VenueCommand = Exclude<
  Act,
  {
    readonly kind:
      | `define-${string}`
      | `create-${string}`
      | 'revoke-key'
      | 'invite-user'
      | 'set-restrictions'
      | 'set-market-state'
      | 'cancel-market'
      | 'change-market'
      | 'note-operator'
      | 'note-backup';
  }
>;

function subjectOfVenue(state: State, command: VenueCommand): Subject {
  switch (command.kind) {
    case 'set-backstop': {
      const account = findAccount(state, command.account);
      const market = state.marketByCode.get(command.market);
      const found = state.backstops.find((one) => one.account === account && one.market === market);
      const { family, name } = command.account;
      return named(`${family}/${name} in ${command.market}`, `${found?.maxLots ?? 0} lots`);
    }
    case 'set-order-limits': {
      const { perMarket, inAll } = state.orderLimits;
      return named('open orders', `${perMarket} a market, ${inAll} in all`);
    }
    case 'set-price': {
      const asset = assetIndexOf(state, command.asset);
      const price = asset === undefined ? undefined : state.assets[asset]?.indexPrice;
      return named(command.asset, price === undefined ? '' : textFromParts(price, USD_SCALE));
    }
    case 'move-funds':
      return ofFunds(state, command);
    case 'step-clock':
      return named('clock', String(state.timeMs));
    case 'operate-withdrawal': {
      const found = state.wallet.withdrawals.get(command.id);
      return named(`withdrawal ${command.id}`, ofHolds(found?.status ?? 'ended', found?.holds));
    }
    case 'operate-deposit': {
      const key = state.wallet.depositKeyById.get(command.id);
      const found = key === undefined ? undefined : state.wallet.deposits.get(key);
      const vanished = found?.isVanished === true ? ', vanished' : '';
      return named(`deposit ${command.id}`, `${found?.status ?? ''}${vanished}`);
    }
    case 'set-withdrawal-limits': {
      const scale = state.assets[state.native]?.spec.scale ?? 0;
      const { daily, automatic } = state.wallet.limits;
      const text = (parts: bigint): string => textFromParts(parts, scale);
      return named('withdrawals', `${text(daily)} a day, ${text(automatic)} at once`);
    }
    case 'set-network-state':
      return ofWay(state, command.asset, command.network);
    case 'set-withdrawal-fee':
    case 'release-withdrawal-fee':
      return ofFee(state, command.network, command.asset);
    case 'reset-factor':
      return ofFactor(state, command.family, command.factor);
    case 'note-rescan':
      return named(
        `${command.network} from block ${command.height}`,
        readTo(state, command.network),
      );
    default:
      return unreachable(command);
  }
}

const named = (subject: string, standing: string): Subject => ({ subject, standing });

const isThere = (exists: boolean): string => (exists ? 'defined' : '');

function ofKey(state: State, accessKey: string): Subject {
  const index = state.keyByAccess.get(accessKey);
  const key = index === undefined ? undefined : state.keys[index];
  if (key === undefined) return named(`key ${accessKey}`, '');
  return named(`key ${accessKey}`, key.isRevoked ? 'revoked' : key.permissions.join(', '));
}

function ofRestrictions(state: State, family: string, subAccount: string | undefined): Subject {
  if (subAccount !== undefined) {
    const account = findAccount(state, { family, name: subAccount });
    const isActive = account !== undefined && state.accounts[account]?.isActive === true;
    return named(`${family}/${subAccount}`, isActive ? 'active' : 'inactive');
  }
  const index = state.familyByName.get(family);
  const restrictions = index === undefined ? [] : (state.families[index]?.restrictions ?? []);
  return named(family, restrictions.join(', ') || 'none');
}

function ofMarket(state: State, code: string, kind: OperatorCommand['kind']): Subject {
  const index = state.marketByCode.get(code);
  const market = index === undefined ? undefined : state.markets[index];
  if (market === undefined) return named(code, '');
  if (kind === 'change-market') return named(code, termsText(state, market));
  return named(code, market.state);
}

function termsText(state: State, { spec }: Market): string {
  const scale = state.assets[state.native]?.spec.scale ?? 0;
  const tiers = spec.tiers.map(
    ({ leverage, notionalCap }) => `${leverage}x to ${textFromParts(notionalCap, scale)}`,
  );
  return [`tick ${priceText(spec, 1)}`, ...tiers].join(', ');
}

function ofFunds(state: State, { from, to, asset: code, amount }: MoveFunds): Subject {
  const subject = `${code} from ${holderText(from)} to ${holderText(to)}`;
  const asset = assetIndexOf(state, code);
  if (asset === undefined) return named(subject, '');
  const scale = state.assets[asset]?.spec.scale ?? 0;
  const text = (one: MoveFunds['from']): string =>
    `${holderText(one)} ${textFromParts(heldBy(state, one, asset), scale)}`;
  const account = typeof to === 'string' ? undefined : findAccount(state, to);
  const asked =
    typeof from !== 'string' || account === undefined
      ? undefined
      : payOutAsked(state, { from, account, asset, amount });
  const waits =
    asked === undefined ? '' : `, ${textFromParts(amount, scale)} asked for by ${asked.actor}`;
  return named(subject, `${text(from)}, ${text(to)}${waits}`);
}

function ofWay(state: State, code: string, name: string): Subject {
  const network = state.networks.findIndex((one) => one.name === name);
  const asset = assetIndexOf(state, code);
  const way = state.wallet.networks[network]?.ways.find((one) => one.asset === asset);
  if (way === undefined) return named(`${code} on ${name}`, '');
  const word = (isOpen: boolean): string => (isOpen ? 'open' : 'closed');
  return named(
    `${code} on ${name}`,
    `deposits ${word(way.canDeposit)}, withdrawals ${word(way.canWithdraw)}`,
  );
}

function ofFee(state: State, networkIndex: NetworkIndex, asset: AssetIndex): Subject {
  const way = state.wallet.networks[networkIndex]?.ways.find((one) => one.asset === asset);
  const spec = state.assets[asset]?.spec;
  const network = state.networks[networkIndex]?.name ?? '';
  const fee = textFromParts(way?.fee ?? 0n, spec?.scale ?? 0);
  return named(
    `${spec?.code ?? ''} on ${network}`,
    way?.isFeeFixed === true ? `${fee}, fixed` : fee,
  );
}

function ofFactor(state: State, name: string, factor: string): Subject {
  const family = state.familyByName.get(name);
  const factors = family === undefined ? [] : (state.wallet.families[family]?.factors ?? []);
  const found = factors.find((one) => one.factor === factor && state.timeMs < one.removedAtMs);
  const request = found === undefined || found.resetBy === '' ? '' : `, asked by ${found.resetBy}`;
  return named(`${factor} of ${name}`, found === undefined ? 'off' : `enrolled${request}`);
}

function readTo(state: State, name: string): string {
  const network = state.networks.findIndex((one) => one.name === name);
  return `read to ${state.wallet.networks[network]?.height ?? 0}`;
}

const ofHolds = (status: string, holds: readonly string[] = []): string =>
  holds.length === 0 ? status : `${status} (${holds.join(', ')})`;
