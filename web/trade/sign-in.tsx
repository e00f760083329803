import { type SubmitEvent, useEffect, useId, useState } from 'react';
import { Dialog } from '../shared/dialog.tsx';
import { useFormSending } from '../shared/form-sending.ts';
import { Locked } from '../shared/locked.tsx';
import {
  beginSession,
  type Demo,
  type DemoAccount,
  demoSignIn,
  NO_DEMO,
  publicClient,
  readDemo,
  sessions,
} from '../shared/session.ts';
import { createStore, useStore } from '../shared/store.ts';
import { useWrong, Wrong } from '../shared/wrong-field.tsx';

/** Which form is open: sign-in, or registration. */
export const isSigningIn = createStore<boolean | 'new'>(false);

/** Empty until the venue has answered. */
export function useDemo(): Demo {
  const [found, setFound] = useState(NO_DEMO);
  useEffect(() => void readDemo().then(setFound), []);
  return found;
}

export const useDemoAccounts = (): readonly DemoAccount[] => useDemo().accounts;

/** The button that was pressed is gone: the focus goes to what replaces it, once that is rendered. */
export const focusTicket = (): void =>
  void requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      document.getElementById('ticket')?.focus({ preventScroll: true });
    }),
  );

const FACTORS = [
  { name: 'GOOGLE', label: 'Authenticator' },
  { name: 'AUTHY_SECRET', label: 'Authy' },
  { name: 'YUBIKEY', label: 'YubiKey' },
] as const;

/** Password, and a code if the account has a second factor. */
export function SignInDialog() {
  const shown = useStore(isSigningIn, (is) => is);
  const ended = useStore(sessions, (signed) => signed.ended);
  if (shown === false) return null;
  return (
    <Dialog title="Sign in" className="narrow" onClose={() => isSigningIn.set(false)}>
      {ended === undefined ? null : (
        <p className="ended" role="status">
          The session has ended. What you typed is still here.
        </p>
      )}
      <SignInForm isNewFirst={shown === 'new'} />
    </Dialog>
  );
}

/** Sign in, open an account, or set the password of one that an operator has opened. */
type Way = 'known' | 'new' | 'invited';
const VERBS: Readonly<Record<Way, string>> = {
  known: 'Sign in',
  new: 'Create account',
  invited: 'Set password',
};
const OTHER_WAYS: Readonly<Record<Way, string>> = {
  known: 'I have an account',
  new: 'Create account instead',
  invited: 'I have an invitation',
};

function SignInForm({ isNewFirst }: { readonly isNewFirst: boolean }) {
  const { form, isSending, refused, forget, send } = useFormSending('Sign in');
  const whyId = useId();
  const [way, setWay] = useState<Way>(isNewFirst ? 'new' : 'known');
  /** A code counts once: who set a password with one signs in with the next. */
  const [invited, setInvited] = useState<string>();
  const demos = useDemoAccounts();
  const run = (act: () => Promise<boolean>): void =>
    void send(async () => {
      if (!(await act())) {
        setWay('known');
        return;
      }
      isSigningIn.set(false);
      focusTicket();
    });
  const onSubmit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const sent = new FormData(event.currentTarget);
    const text = (name: string): string => String(sent.get(name) ?? '').trim();
    const name = text('name');
    const password = String(sent.get('password') ?? '');
    const code = text('code');
    run(async () => {
      const factor = code === '' ? {} : { tfaType: text('tfaType') as 'GOOGLE', code };
      if (way === 'invited') {
        const set = await publicClient.acceptInvitation({
          ...{ token: text('token'), password, ...factor },
        });
        setInvited(set.name);
        if (code !== '') return false;
        // The invitation is used up: whoever cannot be signed in now does it by name.
        setWay('known');
        await beginSession(await publicClient.signIn({ ...set, password }));
        return true;
      }
      if (way === 'new') await publicClient.signUp({ name, password });
      await beginSession(await publicClient.signIn({ name, password, ...factor }));
      return true;
    });
  };
  const isAtButton = refused !== undefined && refused.field === undefined;
  return (
    <form
      className="form sheet-form"
      ref={form}
      noValidate={true}
      onSubmit={onSubmit}
      onInput={forget}
    >
      {demos.length === 0 ? null : (
        <>
          {demos.map(({ accountId, family }) => (
            <button
              type="button"
              key={accountId}
              className="btn primary tall"
              disabled={isSending}
              onClick={() => run(() => demoSignIn(accountId).then(() => true))}
            >
              Start as {family}
            </button>
          ))}
          <p className="or">or with a password</p>
        </>
      )}
      <Locked isLocked={isSending}>
        <Wrong value={refused}>
          {invited === undefined || way !== 'known' ? null : (
            <p className="t2" role="status">
              The password is set. Sign in with it and, where you have codes, with the next one.
            </p>
          )}
          {way === 'invited' ? (
            <TextField key="token" label="Invitation" name="token" />
          ) : (
            <TextField
              key={`name ${invited ?? ''}`}
              label="Name"
              name="name"
              autoComplete="username"
              value={invited}
            />
          )}
          <TextField
            label="Password"
            name="password"
            type="password"
            autoComplete={way === 'known' ? 'current-password' : 'new-password'}
          />
          {way === 'new' ? null : (
            <div className="row2">
              <label className="pick2">
                <span className="t2">Code of</span>
                <select name="tfaType" defaultValue="GOOGLE">
                  {FACTORS.map(({ name, label }) => (
                    <option key={name} value={name}>
                      {label}
                    </option>
                  ))}
                </select>
              </label>
              <TextField label="Code, if you have one" name="code" autoComplete="one-time-code" />
            </div>
          )}
        </Wrong>
      </Locked>
      {isAtButton ? (
        <p className="why" id={whyId} role="alert">
          {refused.text}
        </p>
      ) : null}
      <button
        type="submit"
        className="btn tall"
        disabled={isSending}
        aria-describedby={isAtButton ? whyId : undefined}
      >
        {isSending ? 'Sending…' : VERBS[way]}
      </button>
      {(['known', 'new', 'invited'] as const)
        .filter((other) => other !== way)
        .map((other) => (
          <button
            type="button"
            key={other}
            className="btn ghost"
            disabled={isSending}
            onClick={() => setWay(other)}
          >
            {OTHER_WAYS[other]}
          </button>
        ))}
    </form>
  );
}

const TextField = (props: {
  readonly label: string;
  readonly name: string;
  readonly type?: string;
  readonly autoComplete?: string;
  readonly value?: string | undefined;
}) => {
  const id = useId();
  const { isWrong, aria, why } = useWrong(props.name, id);
  return (
    <div>
      <label className={isWrong ? 'field wrong' : 'field'}>
        <span className="lb">{props.label}</span>
        <span className="in">
          <input
            {...{ id, name: props.name, ...aria }}
            type={props.type ?? 'text'}
            autoComplete={props.autoComplete ?? 'off'}
            defaultValue={props.value}
            spellCheck={false}
          />
        </span>
      </label>
      {why}
    </div>
  );
};
