// Compiles test-token.sol into test-token.json: `node test/chains/build-test-token.mjs`. The compiler is
// downloaded on demand and is not a dependency. The same source gives the same bytes: no metadata.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const COMPILER = 'solc@0.8.37';
const at = (name) => new URL(name, import.meta.url);
const source = readFileSync(at('test-token.sol'), 'utf8');
const input = {
  language: 'Solidity',
  sources: { 'test-token.sol': { content: source } },
  settings: {
    optimizer: { enabled: true, runs: 200 },
    metadata: { appendCBOR: false, bytecodeHash: 'none' },
    evmVersion: 'paris',
    outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.methodIdentifiers'] } },
  },
};
const { stdout } = spawnSync('npx', ['--yes', COMPILER, '--standard-json'], {
  input: JSON.stringify(input),
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
// solcjs prints a line before the result.
const output = JSON.parse(stdout.slice(stdout.indexOf('{')));
const contract = output.contracts?.['test-token.sol']?.TestToken;
if (contract === undefined) throw new Error(JSON.stringify(output.errors));
const built = {
  compiler: COMPILER,
  sourceSha256: createHash('sha256').update(source).digest('hex'),
  abi: contract.abi,
  selectors: contract.evm.methodIdentifiers,
  bytecode: `0x${contract.evm.bytecode.object}`,
};
writeFileSync(at('test-token.json'), `${JSON.stringify(built, null, 2)}\n`);
