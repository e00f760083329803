import { expect, test } from 'vitest';
import { DEFAULT_API_CONFIG } from '../config.ts';
import { hostNames } from './hosts.ts';

const DEFAULTS = DEFAULT_API_CONFIG.hostAliases;

test('the names of the venue, each with any port or none', () => {
  const isOurs = hostNames([...DEFAULTS, 'Venue.Example', 'fixed.example:8443'], 'bound.example');
  const names = ['localhost', '127.0.0.1', '127.1.2.3', '[::1]', 'api.ox.fun', 'venue.example'];
  for (const name of [...names, 'bound.example', 'v2stgapi.coinflex.com', '10.1.2.3']) {
    for (const host of [name, `${name}:3000`, name.toUpperCase()]) {
      expect(isOurs(host, '10.1.2.3'), host).toBe(true);
    }
  }
  expect(isOurs('fixed.example:8443', '')).toBe(true);
});

test('nothing else', () => {
  const isOurs = hostNames([...DEFAULTS, 'fixed.example:8443'], '0.0.0.0');
  const others = [
    '',
    'evil.example',
    'localhost.evil.example',
    'evil.example:127.0.0.1',
    '127.0.0.1.evil',
  ];
  for (const host of [
    ...others,
    'api.ox.fun.evil',
    'fixed.example',
    '10.1.2.4',
    '127.0.0.1:x',
    '::1',
  ]) {
    expect(isOurs(host, '10.1.2.3'), host).toBe(false);
  }
});

test('the address a connection came in on, in either family', () => {
  const isOurs = hostNames([]);
  expect(isOurs('10.1.2.3:3000', '::ffff:10.1.2.3')).toBe(true);
  expect(isOurs('[fe80::1]:3000', 'fe80::1')).toBe(true);
  expect(isOurs('10.1.2.3', '10.1.2.4')).toBe(false);
});
