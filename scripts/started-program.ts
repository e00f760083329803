/** What tests, benchmarks and drills start as the program: bundled as users run it, where npm has begun the run. */
export const PROGRAM = process.env['RIALTO_PROGRAM'] ?? 'src/cli/rialto.ts';
