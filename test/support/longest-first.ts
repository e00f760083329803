import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Each of these occupies one worker for long: started last, it would leave the other one idle. */
const LONG = [
  'test/pages/browser.test.ts',
  'test/simulation/simulation.test.ts',
  'test/package/package.test.ts',
  'test/durability/durability.test.ts',
  'test/pages/living.test.ts',
  'test/postgres/postgres.test.ts',
  'src/history/sqlite.test.ts',
  'test/cluster/takeover.test.ts',
];

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((path) => moduleId.endsWith(path));
      return at < 0 ? LONG.length : at;
    };
    return (await super.sort(files)).sort((one, other) => rank(one) - rank(other));
  }
}
