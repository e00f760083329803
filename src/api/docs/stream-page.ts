import type { Recording } from '../../wire/docs/recording.ts';
import {
  membersOfMessages,
  STREAM_SUBJECTS,
  type StreamSubject,
  streamMeaningOf,
} from '../../wire/docs/stream-messages.ts';
import { STREAM_PATH } from '../../wire/stream.ts';
import { DEFAULT_STREAM_LIMITS } from '../stream/limits.ts';
import type { DocsPage } from './frame.ts';
import { block, code, escaped, folded, inWords, jsonText, table } from './html.ts';

/** The websocket: what is sent and received, as recorded. */
export function streamPage(recording: Recording): DocsPage {
  const links = STREAM_SUBJECTS.map(
    ({ name, title }) => `<li><a href="#${name}">${escaped(title)}</a></li>`,
  );
  return {
    path: '/docs/stream',
    title: 'Stream',
    contents: `<h2>On this page</h2><ul>${links.join('')}<li><a href="#limits">Limits</a></li></ul>`,
    main: `<h1>Stream</h1>
<p class="lead">A websocket at <code>${STREAM_PATH}</code> on the address of the REST interface: text frames with JSON, and the bare words <code>ping</code> and <code>pong</code>. One connection carries public channels, private channels and order commands. M stands for a market code, such as BTC-USD-SWAP-LIN.</p>
${STREAM_SUBJECTS.map((subject) => subjectSection(subject, recording)).join('\n')}
${limitsSection()}`,
  };
}

function subjectSection(
  { name, title, words, isPrivate }: StreamSubject,
  recording: Recording,
): string {
  const lines = recording.stream.find((talk) => talk.name === name)?.lines ?? [];
  const talk = lines
    .map(({ from, message }) => `${from === 'client' ? '→' : '←'} ${jsonText(message)}`)
    .join('\n');
  const received = lines.filter(({ from }) => from === 'venue').map(({ message }) => message);
  const rows = membersOfMessages(received).map(({ name: member, type }) => [
    code(member),
    escaped(type),
    inWords(streamMeaningOf(member.replace(/^.*\./, '').replaceAll('[]', '')) ?? ''),
  ]);
  return `<section id="${name}" aria-labelledby="${name}-h">
<h2 id="${name}-h">${escaped(title)}</h2>
<p>${inWords(words)}</p>
<p class="facts"><span class="fact">${isPrivate ? 'needs a login' : 'public'}</span></p>
${talk === '' ? '' : `<h3>Recorded <small>→ sent, ← heard</small></h3>${block(talk, 'json')}`}
${folded('Members', table({ caption: 'What is heard', heads: ['Member', 'Type', 'Meaning'], rows }))}
</section>`;
}

function limitsSection(): string {
  const limits = DEFAULT_STREAM_LIMITS;
  return `<section id="limits" aria-labelledby="limits-h"><h2 id="limits-h">Limits</h2>
${table({
  caption: 'Defaults; an operator may change them',
  heads: ['Limit', 'Beyond it'],
  rows: [
    [
      `${limits.connectionsPerMinute} new connections a minute of one address`,
      'HTTP 429 with Retry-After',
    ],
    [
      `${limits.messagesPerSecond} messages or channels a second, ${limits.commandsPerSecond} commands a second of one key`,
      `20007; after ${limits.rapidMax} in a row the connection ends`,
    ],
    [`${limits.messageMaxLength.toLocaleString('en-US')} characters a message`, '20027'],
    [`${limits.subscriptionsMax} channels a connection`, '35023'],
    [`${limits.failedLoginsMax} failed logins`, 'the connection ends'],
    [`${limits.idleMs / 1_000} s without a frame either way`, 'the connection ends'],
    [`${limits.unreadMaxBytes / 1_048_576} MiB unread`, 'the connection ends with 1013'],
  ],
})}</section>`;
}
