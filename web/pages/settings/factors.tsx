import { useState } from 'react';
import type { ReplyOf } from '../../../src/client/index.ts';
import {
  type beginSecondFactor,
  confirmSecondFactor,
  removeSecondFactor,
} from '../../../src/wire/protection.ts';
import { askerNow } from '../../shared/asker.ts';
import { timeText } from '../../shared/number-text.ts';
import { sendSurely } from '../../shared/send-surely.ts';
import { clientOf, type Session } from '../../shared/session.ts';
import { CodeFields, FACTOR_NAMES, useFactors } from '../parts/code-fields.tsx';
import { ConfirmDialog } from '../parts/confirm.tsx';
import { CopyButton, QrCode } from '../parts/copy.tsx';
import { ActForm, TextField } from '../parts/form.tsx';
import { Panel } from '../parts/panel.tsx';

type Begun = ReplyOf<typeof beginSecondFactor>;
type Factor = keyof typeof FACTOR_NAMES;
const OFFERED: readonly Factor[] = ['GOOGLE', 'AUTHY_SECRET', 'YUBIKEY'];

/**
 * Enrolled in two steps: the secret into the app, then its first code. Removing one needs a code, and a day.
 */
export function SecondFactors({ session }: { readonly session: Session }) {
  const client = clientOf(session);
  const factors = useFactors(session);
  const [begun, setBegun] = useState<Begun>();
  const [isYubikey, setYubikey] = useState(false);
  const [toRemove, setToRemove] = useState<Factor>();
  const enrolled = factors.data ?? [];
  const left = OFFERED.filter((name) => enrolled.every(({ tfaType }) => tfaType !== name));
  const begin = async (tfaType: Factor): Promise<void> => {
    setYubikey(tfaType === 'YUBIKEY');
    // The owner enters a Yubikey's keys; an authenticator gets a secret from the venue.
    if (tfaType === 'YUBIKEY') return;
    const asker = askerNow(session);
    try {
      setBegun(await client.beginSecondFactor({ tfaType }));
    } catch (reason) {
      asker.notifyRefusal('Not begun', reason);
    }
  };
  if (!session.permissions.includes('withdraw')) return null;
  return (
    <Panel title="Second factors" id="factors">
      <div className="pg-body">
        {factors.data !== undefined && enrolled.length === 0 ? (
          <p className="pg-hint">
            None is enrolled: withdrawals and new addresses need no code. Enrol one to protect them.
          </p>
        ) : null}
        <ul className="pg-factors" aria-label="Enrolled second factors">
          {enrolled.map(({ tfaType, removedAt }) => (
            <li key={tfaType}>
              <b>{FACTOR_NAMES[tfaType]}</b>
              {removedAt === undefined ? (
                <span className="chip good">On</span>
              ) : (
                <span className="chip warn">
                  Off from {timeText(Number(removedAt)).slice(0, 16)} UTC
                </span>
              )}
              <span className="grow" />
              {removedAt === undefined ? (
                <button
                  type="button"
                  className="btn s"
                  aria-label={`Remove ${FACTOR_NAMES[tfaType]}`}
                  onClick={() => setToRemove(tfaType)}
                >
                  Remove
                </button>
              ) : null}
            </li>
          ))}
        </ul>
        {begun === undefined && !isYubikey ? (
          <div className="pg-acts">
            {left.map((name) => (
              <button type="button" key={name} className="btn" onClick={() => void begin(name)}>
                Enrol {FACTOR_NAMES[name]}
              </button>
            ))}
          </div>
        ) : null}
      </div>
      {isYubikey && begun === undefined ? (
        <YubikeyKeys session={session} onBegun={setBegun} onEnd={() => setYubikey(false)} />
      ) : null}
      {begun === undefined ? null : (
        <Enrol
          {...{ session, begun, isYubikey }}
          current={enrolled}
          onEnd={() => {
            setBegun(undefined);
            setYubikey(false);
            factors.refetch();
          }}
        />
      )}
      {toRemove === undefined ? null : (
        <ConfirmDialog
          title={`Remove ${FACTOR_NAMES[toRemove]}`}
          label="Remove"
          done="It is needed for a day more, then no longer"
          act={async (sent) => {
            const codeOf = (sent.text('tfaType') || toRemove) as Factor;
            const request = { tfaType: toRemove, code: sent.text('code'), codeOf };
            await sendSurely(client, {
              endpoint: removeSecondFactor,
              request,
              onWaiting: sent.onWaiting,
            });
            factors.refetch();
          }}
          onClose={() => setToRemove(undefined)}
        >
          <p>It stays in force for a day, so that a thief has no use of removing it.</p>
          <CodeFields factors={enrolled} />
        </ConfirmDialog>
      )}
    </Panel>
  );
}

/** What the personalisation tool shows when it writes a slot of the key. */
function YubikeyKeys(props: {
  readonly session: Session;
  readonly onBegun: (begun: Begun) => void;
  readonly onEnd: () => void;
}) {
  const { session, onBegun, onEnd } = props;
  return (
    <div className="pg-enrol">
      <ActForm
        label="Go on"
        act={async (sent) => {
          const [publicId, privateId, aesKey] = ['publicId', 'privateId', 'aesKey'].map((name) =>
            sent.text(name).replaceAll(' ', '').toLowerCase(),
          ) as [string, string, string];
          onBegun(
            await clientOf(session).beginSecondFactor({
              ...{ tfaType: 'YUBIKEY', privateId, aesKey },
              ...(publicId === '' ? {} : { publicId }),
            }),
          );
        }}
        beside={
          <button type="button" className="btn tall" onClick={onEnd}>
            Not now
          </button>
        }
      >
        <b>1. The keys of its slot, in the mode “Yubico OTP”</b>
        <TextField
          label="Public id"
          name="publicId"
          isCode={true}
          maxLength={32}
          hint="The letters that each code begins with; empty where it has none."
        />
        <TextField
          label="Private id"
          name="privateId"
          isCode={true}
          maxLength={24}
          hint="6 bytes in hex: 12 digits."
        />
        <TextField
          label="Secret key"
          name="aesKey"
          isCode={true}
          maxLength={48}
          hint="16 bytes in hex: 32 digits."
        />
      </ActForm>
    </div>
  );
}

function Enrol(props: {
  readonly isYubikey: boolean;
  readonly session: Session;
  readonly begun: Begun;
  readonly current: readonly { readonly tfaType: Factor }[];
  readonly onEnd: () => void;
}) {
  const { session, begun, current, isYubikey, onEnd } = props;
  const { secret = '', uri } = begun;
  const inFours = secret.replace(/(.{4})(?=.)/g, '$1 ');
  return (
    <div className="pg-enrol">
      {isYubikey ? null : (
        <div className="pg-enrol-step">
          <b>1. Scan it with the app, or type the secret</b>
          <div className="pg-deposit">
            {uri === undefined ? null : <QrCode text={uri} label="QR code for the authenticator" />}
            <div className="pg-place">
              <span className="pg-label">Secret</span>
              <code data-secret={secret}>{inFours}</code>
              <CopyButton text={secret} label="Copy secret" />
            </div>
          </div>
        </div>
      )}
      <ActForm
        label="Confirm"
        done="Second factor enrolled"
        act={async (sent) => {
          const currentCode = sent.text('code');
          const request = {
            ...{ enrolment: begun.enrolment, code: sent.text('first').replaceAll(' ', '') },
            ...(currentCode === ''
              ? {}
              : { currentTfaType: sent.text('tfaType') as Factor, currentCode }),
          };
          await sendSurely(clientOf(session), {
            endpoint: confirmSecondFactor,
            request,
            onWaiting: sent.onWaiting,
          });
          onEnd();
        }}
        beside={
          <button type="button" className="btn tall" onClick={onEnd}>
            Not now
          </button>
        }
      >
        <b>{isYubikey ? '2. Touch the key: it types its first code' : '2. Its first code'}</b>
        <TextField
          label="First code"
          name="first"
          isCode={true}
          isNumber={!isYubikey}
          autoComplete="one-time-code"
          maxLength={isYubikey ? 64 : 8}
        />
        <CodeFields factors={current} />
      </ActForm>
    </div>
  );
}
