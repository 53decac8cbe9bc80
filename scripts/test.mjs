// npm test: proves everything, fast checks first, and ends with one line: N passed, N failed.
import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { failedInPlaywright, failedInVitest } from './failed-tests.mjs';
import { buildIfNeeded } from './setup/bundles.mjs';
import { hasDisplay, provideDisplay, provideDisplays } from './setup/display.mjs';
import { prepareForDependencies } from './setup/dependencies.mjs';
import { ensureReady } from './setup/ensure.mjs';
import { inProject, projectDir, runScript, say } from './setup/project.mjs';
import { run } from './setup/run.mjs';
import { checks } from './test/checks.mjs';
import { leftSince, lookAround, ownTemporaryFolder } from './test/left-behind.mjs';
import {
  ensureConfinementTools,
  ensureTestTools,
  ensureVirtualDisplay,
  provideContainerTools,
} from './setup/system-packages.mjs';

const { values: only, rest: filters } = parseArguments(process.argv.slice(2));
const totals = { passed: 0, failed: 0 };
const whatFailed = [];

await runScript(async () => {
  const before = lookAround();
  const temporary = ownTemporaryFolder();
  process.env.GATEHOUSE_SEED ??= String(randomInt(2 ** 31));
  // What the system's packages need is the network and the disk: they come while npm works, and while the first tests run.
  await prepareForDependencies();
  const machine = provideMachine();
  // Looked at where it is waited for.
  machine.catch(() => undefined);
  const electron = await ensureReady();
  mkdirSync(inProject('artifacts'), { recursive: true });
  const asNode = { ...process.env, ELECTRON_RUN_AS_NODE: '1' };

  if (wants('check')) await sideBySide(checks(electron), (each) => check(...each));
  if (wants('unit')) await vitest(electron, 'unit', asNode);
  if (wants('integration') || wants('e2e')) {
    await machine;
    await buildIfNeeded();
    if (wants('integration')) {
      say(`of what is many times alike a part is tried: GATEHOUSE_SEED=${process.env.GATEHOUSE_SEED}`);
      const display = await provideDisplay();
      await vitest(electron, 'integration', { ...asNode, ...display.env }).finally(display.end);
    }
    if (wants('e2e')) {
      const displays = await provideDisplays(Math.min(3, Math.ceil(availableParallelism() * 1.5)));
      await playwright({ ...process.env, GATEHOUSE_TEST_DISPLAYS: displays.names.join(' ') }).finally(displays.end);
    }
  }
  leavesNothing(await leftSince(before, temporary));
  temporary.remove();
  if (whatFailed.length > 0) console.log(`\nWhat failed:\n${whatFailed.join('\n')}`);
  console.log(`\n${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed === 0 ? 0 : 1;
});

function parseArguments(args) {
  const at = args.indexOf('--only');
  if (at === -1) return { values: [], rest: args };
  return { values: (args[at + 1] ?? '').split(','), rest: [...args.slice(0, at), ...args.slice(at + 2)] };
}

function wants(stage) {
  return only.length === 0 || only.includes(stage);
}

async function provideMachine() {
  if (!wants('integration') && !wants('e2e')) return;
  await ensureConfinementTools();
  await ensureTestTools();
  await provideContainerTools();
  if (wants('e2e') || !hasDisplay()) await ensureVirtualDisplay();
}

/** As many at a time as there are cores. */
async function sideBySide(items, work) {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

async function check(name, command, args, env) {
  const began = Date.now();
  const { code, output } = await run(command, args, { quiet: true, cwd: projectDir, env: { ...process.env, ...env } });
  if (code === 0) totals.passed += 1;
  else totals.failed += 1;
  if (code !== 0) whatFailed.push(`✗ ${name}`);
  console.log(`${code === 0 ? '✓' : '✗'} ${name}${since(began)}`);
  if (code !== 0) console.log(output.trim());
}

function leavesNothing(left) {
  if (left.length === 0) totals.passed += 1;
  else totals.failed += 1;
  if (left.length > 0) whatFailed.push('✗ leaves nothing behind');
  console.log(
    [`${left.length === 0 ? '✓' : '✗'} leaves nothing behind`, ...left.map((what) => `  ${what}`)].join('\n'),
  );
}

async function vitest(electron, project, env) {
  const report = inProject('artifacts', `${project}.json`);
  rmSync(report, { force: true });
  const began = Date.now();
  const args = [
    inProject('node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    ...filters,
  ];
  const { code } = await run(electron, args, { cwd: projectDir, env });
  const result = readReport(report);
  whatFailed.push(...failedInVitest(result));
  count(project, code, result?.numPassedTests ?? 0, result?.numFailedTests ?? 0, began);
}

async function playwright(env) {
  const report = inProject('artifacts', 'e2e.json');
  rmSync(report, { force: true });
  const began = Date.now();
  const { code } = await run(
    process.execPath,
    [inProject('node_modules', '@playwright', 'test', 'cli.js'), 'test', '--reporter=list,json', ...filters],
    {
      cwd: projectDir,
      env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report },
    },
  );
  const result = readReport(report);
  const stats = result?.stats;
  whatFailed.push(...failedInPlaywright(result));
  count('e2e', code, stats?.expected ?? 0, (stats?.unexpected ?? 0) + (stats?.flaky ?? 0), began);
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** A runner that failed counts as a failure even where it could not say which test it was. */
function count(name, code, passed, failed, began) {
  totals.passed += passed;
  totals.failed += code === 0 ? failed : Math.max(1, failed);
  console.log(`${code === 0 ? '✓' : '✗'} ${name}: ${passed} passed, ${failed} failed${since(began)}`);
}

function since(began) {
  return `, ${Math.round((Date.now() - began) / 1000)} s`;
}
