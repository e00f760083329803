import type { Endpoint } from '../../wire/endpoint.ts';
import type { Way } from './frame.ts';

/** For programs that read documentation: all of it, condensed. */
export function llmsText(endpoints: readonly Endpoint[], guides: readonly Way[]): string {
  return `# Rialto

> A trading venue: spot and perpetuals, signed REST under /v3, a websocket at /v2/websocket. Amounts, prices, ids and times are JSON strings; times are milliseconds since 1970 UTC.

Signing: headers AccessKey, Timestamp (ISO 8601 UTC), Nonce (any text), Signature = base64(HMAC-SHA256(secret, Timestamp \\n Nonce \\n METHOD \\n host \\n path \\n query-or-body)). A signed POST takes effect at most once.

## Reference
- [/openapi.json](/openapi.json): every endpoint with its schemas
- [/docs](/docs): the same for people, with recorded answers and examples in curl, TypeScript and Python
- [/docs/stream](/docs/stream): the websocket, every message as it was recorded
- [/docs/errors](/docs/errors): every code
${guides.length === 0 ? '' : `\n## Guides\n${guides.map(({ path, title }) => `- [${path}](${path}): ${title}`).join('\n')}\n`}
## Endpoints
${endpoints.map(({ method, path, summary }) => `- ${method} ${path}: ${summary}`).join('\n')}
`;
}
