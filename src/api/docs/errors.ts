import { REJECTIONS, type Rejection } from '../../domain/rejections.ts';
import { HTTP_STATUS } from '../../wire/errors.ts';
import type { DocsPage } from './frame.ts';
import { escaped } from './html.ts';

/** Every way a request can be refused. */
export function errorsPage(): DocsPage {
  const rows = (Object.keys(REJECTIONS) as Rejection[]).map((name) => {
    const { code, message } = REJECTIONS[name];
    return `<tr id="${name}"><td><code>${code}</code></td><td>${HTTP_STATUS[name]}</td><td>${escaped(message)}</td><td><code>${name}</code></td></tr>`;
  });
  return {
    path: '/docs/errors',
    title: 'Refusals',
    main: `<h1>Refusals</h1>
<p class="lead">A failure is <code>{"success": false, "code": "...", "message": "..."}</code>. The message is the rule, then what was sent, the limit and the nearest valid value. Elements of order requests carry <code>code</code> and <code>message</code> themselves. After 503 "outcome unknown" send the same bytes again: a signed request takes effect once.</p>
<div class="table"><table><caption>By rule</caption><thead><tr><th scope="col">Code</th><th scope="col">HTTP</th><th scope="col">Rule</th><th scope="col">Name</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table></div>`,
  };
}
