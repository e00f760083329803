import { expect, test } from 'vitest';
import { REJECTIONS, type Rejection, refuse } from '../domain/rejections.ts';
import { failureText, HTTP_STATUS } from './errors.ts';

test('every rejection has an HTTP error status', () => {
  const all = Object.keys(REJECTIONS) as Rejection[];
  expect(Object.keys(HTTP_STATUS).sort()).toEqual([...all].sort());
  for (const rejection of all) {
    expect(HTTP_STATUS[rejection], rejection).toBeGreaterThanOrEqual(400);
    expect(HTTP_STATUS[rejection], rejection).toBeLessThan(600);
  }
});

test('the failures of the published table have their statuses', () => {
  const table: Partial<Record<Rejection, number>> = {
    HEADER_MISSING: 401,
    KEY_UNKNOWN: 401,
    SIGNATURE_INVALID: 401,
    TIMESTAMP_OUT_OF_RANGE: 401,
    PERMISSION_MISSING: 403,
    PARAMETER_MISSING: 400,
    PARAMETER_INVALID: 400,
    JSON_INVALID: 400,
    RATE_LIMITED: 429,
    PATH_UNKNOWN: 404,
    METHOD_UNKNOWN: 405,
    INTERNAL: 500,
    UNAVAILABLE: 503,
    OUTCOME_UNKNOWN: 503,
  };
  expect(HTTP_STATUS).toMatchObject(table);
});

test('a failure is an envelope without data, whatever its message holds', () => {
  const text = failureText(refuse('PARAMETER_INVALID', 'a "quoted"\n</script> name'));
  expect(JSON.parse(text)).toEqual({
    success: false,
    code: '20001',
    message: 'Parameter is invalid: a "quoted"\n</script> name',
  });
});
