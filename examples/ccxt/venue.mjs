/** ccxt's class for this interface, turned to the venue of a handout; the programs here use it. */
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import ccxt from 'ccxt';

export function exchangeOf(file = './data/handout.json') {
  const { baseUrl, families } = JSON.parse(readFileSync(file, 'utf8'));
  const key = families[0].accounts[0].keys.find(({ permissions }) => permissions.includes('trade'));
  const exchange = new ccxt.oxfun({
    apiKey: key.accessKey,
    secret: key.secret,
    // On Node ccxt needs an agent for plain http; an https address needs none.
    agent: new Agent({ keepAlive: true }),
  });
  Object.assign(exchange.urls.api, { public: baseUrl, private: baseUrl });
  return exchange;
}
