// Runs one bundled benchmark: run-one.mjs <name> <results file>.
import { writeFileSync } from 'node:fs';
import { type BenchModule, type BenchResult, compare } from './harness.js';

const [name = '', resultsFile = ''] = process.argv.slice(2);
const { run } = (await import(/* @vite-ignore */ `./${name}.mjs`)) as BenchModule;
const results: BenchResult[] = [];
await run(async (comparison) => {
  const result = await compare(comparison);
  results.push(result);
  return result;
});
writeFileSync(resultsFile, JSON.stringify(results));
