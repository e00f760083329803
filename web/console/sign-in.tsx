import { type ChangeEvent, type SubmitEvent, useState } from 'react';
import { useFormSending } from '../shared/form-sending.ts';
import { Logo } from '../shared/icons.tsx';
import { Locked } from '../shared/locked.tsx';
import { Wrong } from '../shared/wrong-field.tsx';
import { Fld } from './act-dialog.tsx';
import { signIn } from './session.ts';

/** With an operator's credential: typed, or read from its file. */
export function SignIn({ ended }: { readonly ended: string | undefined }) {
  const [accessKey, setAccessKey] = useState('');
  const [secret, setSecret] = useState('');
  const [unread, setUnread] = useState<string>();
  const { form, isSending, refused, forget, send } = useFormSending('Sign in');
  const failure = unread ?? (refused?.field === undefined ? refused?.text : undefined);
  const signInWith = (key: string, text: string): void => {
    setUnread(undefined);
    void send(() => signIn(key.trim(), text.trim()));
  };
  const onSubmit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    signInWith(accessKey, secret);
  };
  const onFile = async (event: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const file = event.target.files?.[0];
    event.target.value = '';
    if (file === undefined) return;
    const found = credentialIn(await file.text());
    if (found === undefined) setUnread(`${file.name} holds no credential of an operator`);
    else signInWith(found.accessKey, found.secret);
  };
  return (
    <main className="door">
      <div className="logo">
        <Logo />
        <h1>
          Rialto <span>Console</span>
        </h1>
      </div>
      {ended === undefined ? null : (
        <p className="note warn" role="status">
          {ended}
        </p>
      )}
      <form className="card" aria-label="Sign in" ref={form} onSubmit={onSubmit} onInput={forget}>
        <Locked isLocked={isSending}>
          <Wrong value={refused}>
            <Fld label="Access key" name="accessKey">
              {(control) => (
                <input
                  {...control}
                  autoComplete="username"
                  spellCheck={false}
                  required
                  value={accessKey}
                  onChange={(event) => setAccessKey(event.target.value)}
                />
              )}
            </Fld>
            <Fld label="Secret" name="secret">
              {(control) => (
                <input
                  {...control}
                  type="password"
                  autoComplete="off"
                  required
                  value={secret}
                  onChange={(event) => setSecret(event.target.value)}
                />
              )}
            </Fld>
          </Wrong>
        </Locked>
        {failure === undefined ? null : (
          <p className="note bad" role="alert">
            {failure}
          </p>
        )}
        <button type="submit" className="btn primary tall" disabled={isSending}>
          {isSending ? 'Signing in…' : 'Sign in'}
        </button>
        <label className="btn tall file">
          Open a credential file
          <input
            type="file"
            accept="application/json"
            disabled={isSending}
            onChange={(event) => void onFile(event)}
          />
        </label>
      </form>
      <p className="t3">
        The secret becomes a key that signs in this tab and cannot be read back. It is never sent,
        and forgotten after 8 hours or when you sign out. A venue of <b>dev</b> has its operators in
        handout.json.
      </p>
    </main>
  );
}

type Credential = { readonly accessKey: string; readonly secret: string };

/** The format of the file that `rialto` keeps, or writes for a new operator. */
function credentialIn(text: string): Credential | undefined {
  try {
    const { accessKey, secret } = JSON.parse(text) as Partial<Credential>;
    if (typeof accessKey === 'string' && typeof secret === 'string') return { accessKey, secret };
  } catch {
    // The caller reports it.
  }
  return undefined;
}
