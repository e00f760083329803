import { hmacBase64, importSecret } from '../../src/client/secret.ts';
import { messageToSign } from '../../src/wire/signing.ts';
import { timestampText } from '../../src/wire/timestamp.ts';
import { credential, credentialFields, onCredential } from './credential.ts';
import { button, element, field, labelled } from './elements.ts';

const LINES = ['Timestamp', 'Nonce', 'Method', 'Host', 'Path', 'Query or body'];

/** Every step of a signature, and the venue's answer to it. */
export function addPlayground(): void {
  const place = document.querySelector('#playground');
  const compared = document.querySelector('#mismatch');
  if (place === null || compared === null) return;
  const inputs = requestFields();
  const lines = element('ol', { class: 'lines' });
  const signature = element('code');
  const headers = element('code');
  const status = element('p', { role: 'status' });
  const answer = element('code');
  const shown = element('pre', { hidden: '' }, answer);
  const comparison = comparisonOf(() => messageOf(inputs));
  const refresh = async (): Promise<void> => {
    const message = messageOf(inputs);
    lines.replaceChildren(...numbered(message.split('\n')));
    comparison.refresh();
    const key = credential();
    if (key === undefined) {
      signature.textContent = 'needs a secret';
      return;
    }
    const signed = await hmacBase64(await importSecret(key.secret), message);
    signature.textContent = signed;
    headers.textContent = Object.entries(headersOf(inputs, key.accessKey, signed))
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n');
  };
  const send = async (): Promise<void> => {
    const key = credential();
    if (key === undefined) return;
    const method = inputs.method.value;
    const text = inputs.sixth.value;
    const signed = signature.textContent;
    const url = `${inputs.path.value}${method === 'GET' && text !== '' ? `?${text}` : ''}`;
    const response = await fetch(url, {
      ...{ method, headers: headersOf(inputs, key.accessKey, signed) },
      ...(method === 'GET' ? {} : { body: text }),
    });
    status.className = response.ok ? 'good' : 'bad';
    status.textContent = `HTTP ${response.status}${response.ok ? ': the signature holds' : ''}`;
    answer.textContent = await response.text();
    shown.hidden = false;
  };
  for (const one of Object.values(inputs)) one.addEventListener('input', () => void refresh());
  onCredential(() => void refresh());
  const now = button('Now, and another nonce', () => {
    inputs.timestamp.value = timestampText(Date.now());
    inputs.nonce.value = String(Date.now());
    void refresh();
  });
  place.append(
    element('section', {}, element('h2', {}, 'The key'), credentialFields()),
    element(
      'section',
      {},
      element('h2', {}, 'The request'),
      element('div', { class: 'fields' }, ...Object.values(inputs).map(labelled)),
      element('div', { class: 'row' }, now),
    ),
    element(
      'section',
      {},
      element('h2', {}, 'What is signed'),
      lines,
      element('h3', {}, 'Signature = base64(HMAC-SHA256(secret, the lines joined by \\n))'),
      element('pre', {}, signature),
      element('h3', {}, 'Headers'),
      element('pre', {}, headers),
      element(
        'div',
        { class: 'row' },
        button('Send it', () => void send(), 'main'),
      ),
      status,
      shown,
    ),
  );
  compared.append(comparison.place);
  void refresh();
}

type Fields = ReturnType<typeof requestFields>;

const requestFields = () => {
  const text = (label: string, value: string) =>
    field(label, element('input', { value, spellcheck: 'false', autocomplete: 'off' }));
  const method = element('select');
  for (const one of ['GET', 'POST', 'DELETE']) method.append(element('option', {}, one));
  return {
    timestamp: text('Timestamp (UTC)', timestampText(Date.now())),
    nonce: text('Nonce (any text)', String(Date.now())),
    method: field('Method', method),
    host: text('Host', location.host),
    path: text('Path', '/v3/balances'),
    sixth: field('Query (GET) or body', element('textarea', { spellcheck: 'false' }, 'asset=USDT')),
  };
};

const messageOf = ({ timestamp, nonce, method, host, path, sixth }: Fields): string =>
  messageToSign({
    timestamp: timestamp.value,
    nonce: nonce.value,
    method: method.value,
    host: host.value,
    path: path.value,
    sixth: sixth.value,
  });

const headersOf = (
  { timestamp, nonce }: Fields,
  accessKey: string,
  signature: string,
): Record<string, string> => ({
  AccessKey: accessKey,
  Timestamp: timestamp.value,
  Nonce: nonce.value,
  Signature: signature,
  'Content-Type': 'application/json',
});

/** Makes spaces and unusual characters visible: they differ where nothing seems to. */
const visible = (line: string): string =>
  line === '' ? '(empty)' : line.replaceAll('\r', '␍').replaceAll('\t', '␉').replace(/ $/, '␠');

function numbered(lines: readonly string[], isOther: (at: number) => boolean = () => false) {
  const [one = '', two = '', three = '', four = '', five = '', ...rest] = lines;
  return [one, two, three, four, five, rest.join('\n')].map((line, at) =>
    element(
      'li',
      isOther(at) ? { class: 'differs' } : {},
      element('span', {}, `${at + 1} ${LINES[at] ?? ''}`),
      element('code', {}, visible(line)),
    ),
  );
}

/** What a program signed, beside what the venue signs for the request above. */
function comparisonOf(venues: () => string) {
  const own = field(
    'What your program signed, line by line',
    element('textarea', { spellcheck: 'false', rows: '7' }),
  );
  const verdict = element('p', { role: 'status' });
  const lines = element('ol', { class: 'lines' });
  const refresh = (): void => {
    lines.replaceChildren();
    verdict.textContent = '';
    if (own.value === '') return;
    const differing = differencesOf(own.value, venues());
    const [first] = differing;
    verdict.className = first === undefined ? 'good' : 'bad';
    verdict.textContent =
      first === undefined
        ? 'The same text: if the signature still differs, the secret or the encoding does.'
        : `Line ${first + 1} (${LINES[first] ?? 'beyond the sixth'}) differs. The venue signs:`;
    lines.replaceChildren(...numbered(venues().split('\n'), (at) => differing.includes(at)));
  };
  own.addEventListener('input', refresh);
  return { place: element('div', {}, labelled(own), verdict, lines), refresh };
}

/** Which of the six lines differ; the sixth may contain line feeds. */
export function differencesOf(own: string, venues: string): readonly number[] {
  const sixOf = (text: string): string[] => {
    const all = text.split('\n');
    return [...all.slice(0, 5), all.slice(5).join('\n')];
  };
  const [ours, theirs] = [sixOf(own), sixOf(venues)];
  return LINES.map((_, at) => at).filter((at) => ours[at] !== theirs[at]);
}
