/**
 * The program that tests, benchmarks and drills start: the bundle that users run, if the run was started by
 * npm.
 */
export const PROGRAM = process.env['RIALTO_PROGRAM'] ?? 'src/cli/rialto.ts';
