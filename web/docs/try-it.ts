import { ENDPOINTS, RialtoClient } from '../../src/client/index.ts';
import { credential, credentialFields, onCredential } from './credential.ts';
import { button, element, field, labelled } from './elements.ts';

/** A button in every section; it opens a form that sends the request to the venue that serves this page. */
export function addTryIt(): void {
  for (const section of document.querySelectorAll<HTMLElement>('section[data-endpoint]')) {
    const open = button('Try it', () => {
      open.remove();
      section.append(panelOf(section));
    });
    section.append(open);
  }
}

function panelOf(section: HTMLElement): HTMLElement {
  const { endpoint: name = '', access = '', request = '{}' } = section.dataset;
  const isPublic = access === 'public';
  const isActing = !name.startsWith('GET') && !NO_EFFECT.includes(name);
  const sent = field(
    'Request, as JSON',
    element('textarea', { spellcheck: 'false', rows: '6' }, pretty(request)),
  );
  const status = element('p', { role: 'status' });
  const answer = element('code');
  const shown = element('pre', { hidden: '', tabindex: '0', 'aria-label': 'Answer' }, answer);
  const send = button('Send', () => void run(), 'main');
  const run = async (): Promise<void> => {
    status.className = '';
    status.textContent = 'Sending ...';
    send.disabled = true;
    const { words, isGood, text } = await sendRequest(name, sent.value, isPublic);
    send.disabled = false;
    status.className = isGood ? 'good' : 'bad';
    status.textContent = words;
    answer.textContent = text;
    shown.hidden = text === '';
  };
  const ready = (): void => {
    send.disabled = !isPublic && credential() === undefined;
  };
  onCredential(ready);
  ready();
  return element(
    'div',
    { class: 'try' },
    ...(isPublic ? [] : [credentialFields()]),
    labelled(sent),
    element(
      'div',
      { class: 'row' },
      send,
      element('span', { class: 'soft' }, isActing ? `Acts on ${location.host}.` : ''),
    ),
    status,
    shown,
  );
}

const NO_EFFECT = ['POST /v3/margin/estimate', 'POST /v3/orders/preview'];

type Result = { readonly words: string; readonly isGood: boolean; readonly text: string };

async function sendRequest(name: string, text: string, isPublic: boolean): Promise<Result> {
  const endpoint = ENDPOINTS.find(({ method, path }) => `${method} ${path}` === name);
  if (endpoint === undefined) return { words: `No endpoint ${name}.`, isGood: false, text: '' };
  let request: Record<string, unknown>;
  try {
    request = JSON.parse(text) as Record<string, unknown>;
  } catch (cause) {
    return { words: `This is not JSON: ${(cause as Error).message}`, isGood: false, text: '' };
  }
  const client = new RialtoClient({
    ...{ baseUrl: location.origin, retry: false },
    ...(isPublic ? {} : credential()),
  });
  try {
    const beganMs = performance.now();
    const { url, method, headers, body } = await client.prepare(endpoint, request);
    const sent = { method, headers: { ...headers }, ...(body === undefined ? {} : { body }) };
    const response = await fetch(url, sent);
    const came = await response.text();
    const tookMs = Math.round(performance.now() - beganMs);
    const words = `HTTP ${response.status} in ${tookMs} ms`;
    return { words, isGood: response.ok, text: pretty(came) };
  } catch (cause) {
    return { words: `It could not be sent: ${(cause as Error).message}`, isGood: false, text: '' };
  }
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
