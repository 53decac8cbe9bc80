// npm run bench [-- <name part>…]: bundles each scripts/bench/*.bench.ts, runs it on Electron's Node in a process of its
// own, and shows one table; all figures go to bench-results.json.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { buildIfNeeded } from './setup/bundles.mjs';
import { provideDisplay } from './setup/display.mjs';
import { ensureReady } from './setup/ensure.mjs';
import { ELECTRON_VERSION, inProject, projectDir, runScript, say } from './setup/project.mjs';
import { run } from './setup/run.mjs';

const filters = process.argv.slice(2);
const outDir = inProject('artifacts', 'bench');

await runScript(async () => {
  const electron = await ensureReady();
  await buildIfNeeded();
  const names = readdirSync(inProject('scripts', 'bench'))
    .filter((file) => file.endsWith('.bench.ts'))
    .map((file) => file.slice(0, -'.bench.ts'.length))
    .filter((name) => filters.length === 0 || filters.some((filter) => name.includes(filter)));
  await bundle(names);
  const display = await provideDisplay();
  const results = [];
  const failed = [];
  try {
    for (const name of names) {
      say(`measuring ${name}…`);
      const outcome = await measure(electron, name, { ...process.env, ...display.env });
      if (outcome === undefined) failed.push(name);
      else results.push(...outcome.map((result) => ({ bench: name, ...result })));
    }
  } finally {
    display.end();
  }
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, memoryBytes: totalmem(), platform: process.platform };
  const report = { at: new Date().toISOString(), electron: ELECTRON_VERSION, machine, results, failed };
  writeFileSync(inProject('bench-results.json'), `${JSON.stringify(report, null, 2)}\n`);
  console.log(table(results));
  if (failed.length > 0) console.log(`\nThese could not be measured: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
});

async function bundle(names) {
  const { build } = await import('vite');
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  await build({
    root: projectDir,
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: true,
      outDir,
      emptyOutDir: true,
      target: 'node24',
      rolldownOptions: {
        input: {
          'run-one': inProject('scripts', 'bench', 'run-one.ts'),
          ...Object.fromEntries(names.map((name) => [name, inProject('scripts', 'bench', `${name}.bench.ts`)])),
        },
        output: { entryFileNames: '[name].mjs' },
      },
    },
  });
}

async function measure(electron, name, env) {
  const file = inProject('artifacts', 'bench', `${name}.json`);
  const { code } = await run(electron, ['--expose-gc', inProject('artifacts', 'bench', 'run-one.mjs'), name, file], {
    cwd: projectDir,
    env: { ...env, ELECTRON_RUN_AS_NODE: '1', NODE_ENV: 'production' },
  });
  return code === 0 ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function table(results) {
  const figure = ({ median, p95 }, unit) => `${readable(median)} ${unit} (p95 ${readable(p95)})`;
  const rows = results.map((result) => [
    result.name,
    `${result.subject.name}: ${figure(result.subject, result.unit)}`,
    `${result.peer.name}: ${figure(result.peer, result.unit)}`,
    `${result.ratio.toFixed(2)}×`,
    result.goal === null ? '–' : `${result.goal.met ? '✓' : '✗'} ${result.goal.text}`,
  ]);
  const all = [['what', 'measured', 'against', 'ratio', 'goal'], ...rows];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column])).join('  ')).join('\n');
}

function readable(value) {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
