import { RialtoClient } from '../../src/client/index.ts';
import { button, element, field, labelled } from './elements.ts';

/** The key that signs on this page. It is held in memory: a reload discards it. */
type Credential = { readonly accessKey: string; readonly secret: string; readonly whose: string };
let held: Credential | undefined;
const listeners = new Set<() => void>();

export const credential = (): Credential | undefined => held;

export function onCredential(listener: () => void): void {
  listeners.add(listener);
}

function hold(next: Credential): void {
  held = next;
  for (const listener of listeners) listener();
}

/** Fields for a key; in a `dev` venue on the same machine, also a demo account with one click. */
export function credentialFields(): HTMLElement {
  const place = element('div');
  const accessKey = field(
    'AccessKey',
    element('input', { autocomplete: 'off', spellcheck: 'false' }),
  );
  const secret = field(
    'Secret (stays in this page)',
    element('input', { type: 'password', autocomplete: 'off' }),
  );
  const take = (): void => {
    if (accessKey.value === '' || secret.value === '') return;
    hold({ accessKey: accessKey.value, secret: secret.value, whose: 'the key below' });
  };
  accessKey.addEventListener('change', take);
  secret.addEventListener('change', take);
  const row = element('div', { class: 'row' });
  const status = element('p', { class: 'soft', role: 'status' });
  const show = (): void => {
    status.textContent = held === undefined ? '' : `Signed as ${held.whose}.`;
    if (held === undefined) return;
    accessKey.value = held.accessKey;
    secret.value = held.secret;
  };
  onCredential(show);
  place.append(
    element('div', { class: 'fields' }, labelled(accessKey), labelled(secret)),
    row,
    status,
  );
  show();
  void demoButtons(row);
  return place;
}

let demo: Promise<readonly DemoAccount[]> | undefined;
type DemoAccount = { readonly accountId: string; readonly family: string; readonly name: string };

/** Only a venue of `dev` has demo accounts. */
async function demoButtons(row: HTMLElement): Promise<void> {
  const client = new RialtoClient({ baseUrl: location.origin, retry: false });
  demo ??= client.demoAccounts().then(
    ({ accounts }) => accounts,
    () => [],
  );
  const [first] = await demo;
  if (first === undefined) return;
  const { accountId, family, name } = first;
  row.append(
    button(`Use the demo account ${family}/${name}`, () => {
      void client.demoSession({ accountId }).then(({ accessKey, secret }) => {
        hold({ accessKey, secret, whose: `${family}/${name}, a session of this page` });
      });
    }),
  );
}
