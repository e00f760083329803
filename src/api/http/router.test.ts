import { expect, test } from 'vitest';
import { createRouter } from './router.ts';

function routed() {
  const router = createRouter<string>();
  router.add('GET', '/v3/transfer', 'list');
  router.add('POST', '/v3/transfer', 'move');
  return router;
}

test('a path is found whole, by its method', () => {
  expect(routed().find('GET', '/v3/transfer')).toEqual({ target: 'list' });
  expect(routed().find('POST', '/v3/transfer')).toEqual({ target: 'move' });
});

test('a path nobody knows is refused, and so is one that only looks alike', () => {
  for (const path of ['/v3/transfer/', '//v3/transfer', '/V3/transfer', '', '*', '__proto__']) {
    expect(routed().find('GET', path), path).toMatchObject({
      refusal: { rejected: 'PATH_UNKNOWN' },
    });
  }
});

test('a path with a star stands for all below it, after those that are named', () => {
  const router = createRouter<string>();
  router.add('GET', '/trade/*', 'any');
  router.add('GET', '/trade/this', 'this');
  expect(router.find('GET', '/trade/BTC-USD')).toEqual({ target: 'any' });
  expect(router.find('GET', '/trade/this')).toEqual({ target: 'this' });
  expect(router.find('GET', '/trade')).toMatchObject({ refusal: { rejected: 'PATH_UNKNOWN' } });
  expect(router.find('POST', '/trade/a')).toMatchObject({ allow: 'GET' });
});

test('an unsupported method gets the list of supported ones', () => {
  expect(routed().find('DELETE', '/v3/transfer')).toMatchObject({
    refusal: { rejected: 'METHOD_UNKNOWN' },
    allow: 'GET, POST',
  });
});

test('nothing is routed twice', () => {
  expect(() => routed().add('GET', '/v3/transfer', 'again')).toThrow('routed twice');
});
