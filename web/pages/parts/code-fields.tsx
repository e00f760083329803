import { linkTo } from '../../shared/navigate.ts';
import { useQuery } from '../../shared/query.ts';
import { clientOf, type Session } from '../../shared/session.ts';
import { SelectField, type Sent, TextField } from './form.tsx';

export const FACTOR_NAMES = {
  GOOGLE: 'Authenticator',
  AUTHY_SECRET: 'Authy',
  YUBIKEY: 'YubiKey',
} as const;
type Factor = keyof typeof FACTOR_NAMES;

export const useFactors = (session: Session) =>
  useQuery(() => clientOf(session).secondFactors(), `${session.accessKey} factors`);

/** The code of a second factor, if one is enrolled. `isNeeded`: the act requires one. */
export function CodeFields(props: {
  readonly factors: readonly { readonly tfaType: Factor }[] | undefined;
  readonly isNeeded?: boolean;
}) {
  const { factors = [], isNeeded } = props;
  const [only] = factors;
  if (only === undefined) {
    return isNeeded === true ? (
      <p className="pg-hint">
        This needs a second factor. <a {...linkTo('/settings#factors')}>Enrol one in Settings</a>
      </p>
    ) : null;
  }
  const code = (
    <TextField
      label={factors.length > 1 ? 'Code' : `Code of your ${FACTOR_NAMES[only.tfaType]}`}
      name="code"
      isCode={true}
      isNumber={only.tfaType !== 'YUBIKEY'}
      autoComplete="one-time-code"
      maxLength={128}
    />
  );
  if (factors.length === 1) {
    return (
      <>
        <input type="hidden" name="tfaType" value={only.tfaType} />
        {code}
      </>
    );
  }
  return (
    <div className="row2">
      <SelectField
        label="Code of"
        name="tfaType"
        options={factors.map(({ tfaType }) => [tfaType, FACTOR_NAMES[tfaType]])}
      />
      {code}
    </div>
  );
}

/** The code, if one was typed. */
export const codeIn = (sent: Sent): { readonly tfaType?: Factor; readonly code?: string } =>
  sent.text('code') === ''
    ? {}
    : { tfaType: sent.text('tfaType') as Factor, code: sent.text('code').replaceAll(' ', '') };
