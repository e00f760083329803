import type { DocsPage } from './frame.ts';

/** A form that signs as the SDK does; the pages' script makes it work. */
export const signingPage = (): DocsPage => ({
  path: '/docs/signing',
  title: 'Signing playground',
  main: `<h1>Signing playground</h1>
<p class="lead">Fill in a request: below stand the six lines that are signed, the signature and the headers. Nothing leaves this page until you send it; the secret never does.</p>
<noscript><p class="warn">The playground needs JavaScript. What it does stands under <a href="/docs#start">Start</a>, in three languages.</p></noscript>
<div id="playground"></div>
<section aria-labelledby="mismatch-h"><h2 id="mismatch-h">When a signature does not hold</h2>
<p>The venue answers 401 with code 20000 and names the Host it was called by. Paste below what you signed (your own program's six lines) and compare it with what the venue signs for the request above.</p>
<div id="mismatch"></div>
<ul>
<li><b>Timestamp</b> is UTC in ISO 8601, the same text in the header and in the first line, within 60 s of the venue's clock (<a href="/docs#get-v3-time">GET /v3/time</a>).</li>
<li><b>Host</b> is the host with its port, as in the URL: <code>localhost:3000</code>, without <code>http://</code>.</li>
<li><b>Path</b> has no query. <b>The sixth line</b> is the query without its question mark for GET, the exact bytes of the body otherwise; it is empty, but there, where nothing is sent.</li>
<li>Six lines are joined by five line feeds: no line feed at the end, no carriage returns.</li>
<li>The key is the secret as text (UTF-8), not decoded from base64 or hex; the signature is base64, not hex.</li>
</ul></section>`,
});
