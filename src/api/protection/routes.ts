import { assert } from '../../domain/assert.ts';
import type { Event } from '../../domain/events.ts';
import { isRefusal, type Refusal, refuse } from '../../domain/rejections.ts';
import type { SecondFactor } from '../../domain/wallet.ts';
import type { Engine, Submitted } from '../../engine/engine.ts';
import {
  beginSecondFactor,
  confirmSecondFactor,
  getSecondFactors,
  getWhitelistMode,
  removeSecondFactor,
  removeWithdrawalAddress,
  saveWithdrawalAddress,
  setWhitelistMode,
} from '../../wire/protection.ts';
import { isTrue } from '../../wire/scalars.ts';
import { placeShape } from '../figures.ts';
import { type Route, route } from '../http/mount.ts';
import { readAssetNetwork, registeredNetwork } from '../request/asset-network.ts';
import type { KeyMaker } from '../request/key-maker.ts';
import { stepsOf } from '../request/one-time-codes.ts';
import { refusalOf } from '../request/outcome.ts';
import type { SecondFactors } from '../request/second-factors.ts';
import { signedOnce } from '../request/submit-elements.ts';
import { openEnrolment, sealEnrolment } from './enrolment.ts';

export type ProtectionParts = {
  readonly engine: Engine;
  readonly keys: KeyMaker;
  readonly factors: SecondFactors;
};

export const protectionRoutes = (parts: ProtectionParts): Route[] => [
  ...addressRoutes(parts),
  ...factorRoutes(parts),
];

const addressRoutes = ({ engine, factors }: ProtectionParts): Route[] => [
  route(saveWithdrawalAddress, async ({ request, caller }) => {
    const place = readPlace(engine, request);
    if (isRefusal(place)) return place;
    const { label, whitelisted } = request;
    const submitted = await factors.submit(caller, codeIn(request), (used) => ({
      ...{ kind: 'save-address', by: signedOnce(caller), ...place },
      ...(label === undefined ? {} : { label }),
      ...(whitelisted === undefined ? {} : { whitelisted: isTrue(whitelisted) }),
      ...(used === undefined ? {} : { used }),
    }));
    const saved = eventIn(submitted, 'address-saved');
    if (isRefusal(saved)) return saved;
    const { label: kept, whitelisted: isMarked } = saved;
    const data = { ...placeShape(engine.directory, saved), label: kept, whitelisted: isMarked };
    return { data, isRepeat: isRepeatOf(submitted) };
  }),

  route(removeWithdrawalAddress, async ({ request, caller }) => {
    const place = readPlace(engine, request);
    if (isRefusal(place)) return place;
    const by = { key: caller.key };
    const removed = eventIn(
      await engine.submit({ kind: 'remove-address', by, ...place }),
      'address-removed',
    );
    return isRefusal(removed) ? removed : { data: placeShape(engine.directory, removed) };
  }),

  route(getWhitelistMode, async ({ caller }) => {
    const { isWhitelistOn } = await engine.view('familyWallet', { family: caller.family });
    return { data: { enabled: isWhitelistOn } };
  }),

  route(setWhitelistMode, async ({ request, caller }) => {
    const isOn = isTrue(request.enabled);
    const submitted = await factors.submit(caller, codeIn(request), (used) => ({
      ...{ kind: 'set-whitelist-mode', by: signedOnce(caller), isOn },
      ...(used === undefined ? {} : { used }),
    }));
    const set = eventIn(submitted, 'whitelist-mode-set');
    if (isRefusal(set)) return set;
    return { data: { enabled: set.isOn }, isRepeat: isRepeatOf(submitted) };
  }),
];

const factorRoutes = ({ engine, keys, factors }: ProtectionParts): Route[] => [
  route(getSecondFactors, async ({ caller }) => {
    const kept = await engine.view('familyWallet', { family: caller.family });
    const data = kept.factors.map(({ factor, removedAtMs }) => ({
      tfaType: factor,
      ...(removedAtMs === undefined ? {} : { removedAt: String(removedAtMs) }),
    }));
    return { data };
  }),

  route(beginSecondFactor, ({ request, caller }) => {
    const { tfaType } = request;
    const secret = tfaType === 'YUBIKEY' ? yubikeySecret(request) : keys.newTotpSecret();
    if (typeof secret === 'object') return secret;
    const { family } = caller;
    const { name } = engine.directory.family(family);
    const begun = { family, factor: tfaType, secret };
    const { enrolment, expiresAtMs } = sealEnrolment(keys, begun, engine.nowMs());
    const shown = tfaType === 'YUBIKEY' ? {} : { secret, uri: uriOf(name, secret) };
    return { data: { tfaType, ...shown, enrolment, expiresAt: String(expiresAtMs) } };
  }),

  route(confirmSecondFactor, async ({ request, caller }) => {
    const nowMs = engine.nowMs();
    const begun = openEnrolment(keys, request.enrolment, nowMs);
    if (begun?.family !== caller.family) return ENROLMENT_INVALID;
    const { factor, secret } = begun;
    const step = stepsOf(factor, secret, request.code, nowMs).at(-1);
    if (step === undefined) return refuse('SECOND_FACTOR_WRONG', 'of the new factor');
    const { currentTfaType: tfaType, currentCode: code } = request;
    const submitted = await factors.submit(caller, codeIn({ tfaType, code }), (used) => ({
      ...{ kind: 'enrol-factor', by: signedOnce(caller), factor, step },
      ...{ sealedSecret: keys.seal(secret), ...(used === undefined ? {} : { used }) },
    }));
    const enrolled = eventIn(submitted, 'factor-enrolled');
    if (isRefusal(enrolled)) return aboutCurrent(enrolled);
    return { data: { tfaType: enrolled.factor }, isRepeat: isRepeatOf(submitted) };
  }),

  route(removeSecondFactor, async ({ request, caller }) => {
    const { tfaType: factor, code, codeOf = factor } = request;
    const submitted = await factors.submit(caller, { tfaType: codeOf, code }, (used) => ({
      ...{ kind: 'remove-factor', by: { key: caller.key }, factor },
      ...(used === undefined ? {} : { used }),
    }));
    const removed = eventIn(submitted, 'factor-removed');
    if (isRefusal(removed)) return removed;
    return { data: { tfaType: removed.factor, removedAt: String(removed.atMs) } };
  }),
];

/** The `code` that a refusal misses is here called by another name: `code` is that of the new factor. */
const aboutCurrent = (refusal: Refusal): Refusal =>
  refusal.rejected === 'PARAMETER_MISSING'
    ? {
        ...refusal,
        message: refusal.message
          .replace(': code:', ': currentCode, a code of a factor that is enrolled:')
          .replace(': tfaType:', ': currentTfaType:'),
      }
    : refusal;

const ENROLMENT_INVALID = refuse(
  'PARAMETER_INVALID',
  'enrolment is not as the first step gave it, or has expired: begin again',
);

function yubikeySecret(sent: {
  readonly publicId?: string;
  readonly privateId?: string;
  readonly aesKey?: string;
}): string | Refusal {
  const { publicId = '', privateId, aesKey } = sent;
  if (privateId === undefined) return refuse('PARAMETER_MISSING', "'privateId' of the Yubikey");
  if (aesKey === undefined) return refuse('PARAMETER_MISSING', "'aesKey' of the Yubikey");
  return `${publicId}:${privateId}:${aesKey}`;
}

const uriOf = (family: string, secret: string): string =>
  `otpauth://totp/Rialto:${encodeURIComponent(family)}?secret=${secret}&issuer=Rialto`;

function readPlace(
  engine: Engine,
  request: {
    readonly asset: string;
    readonly network: string;
    readonly address: string;
    readonly memo?: string;
  },
) {
  const { directory } = engine;
  const { asset, address, memo } = request;
  const way = readAssetNetwork(directory, {
    asset,
    network: registeredNetwork(directory, request.network),
  });
  if (isRefusal(way)) return way;
  return { ...way, address, ...(memo === undefined || memo === '' ? {} : { memo }) };
}

const codeIn = ({
  tfaType,
  code,
}: {
  readonly tfaType?: SecondFactor | undefined;
  readonly code?: string | undefined;
}) => ({
  ...(tfaType === undefined ? {} : { tfaType }),
  ...(code === undefined ? {} : { code }),
});

type EventOf<Kind extends Event['kind']> = Extract<Event, { readonly kind: Kind }>;

/** Built from the outcome alone, so that a repeat gets the same, after a crash too. */
function eventIn<Kind extends Event['kind']>(
  submitted: Submitted | Refusal,
  kind: Kind,
): EventOf<Kind> | (Refusal & { readonly isRepeat?: boolean }) {
  if (isRefusal(submitted)) return submitted;
  const { outcome, isRepeat } = submitted;
  const refusal = refusalOf(outcome);
  if (refusal !== undefined) return { ...refusal, isRepeat };
  const found = outcome.events.find((event): event is EventOf<Kind> => event.kind === kind);
  assert(found !== undefined, `a command is refused or emits ${kind}`);
  return found;
}

const isRepeatOf = (submitted: Submitted | Refusal): boolean =>
  'isRepeat' in submitted && submitted.isRepeat === true;
