// npm run walk: the way of one approved run_command through the real app. It counts the files of main in which a function ran
// between the request at /v1/tool/invoke and its answer, on the main thread and on its threads, and the types that the call wears on it:
//
//   a shape of the question   a named object type of those files that has a call's arguments as a property
//   a shape of the answer     one that has what came of the call as a property
//
// Types stand in files where nothing runs, so a file that only declares counts for its shapes where a walked file imports from it.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { SourceMap } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseSync } from 'vite';
import { electronExecutable } from './setup/electron-runtime.mjs';
import { ensureReady } from './setup/ensure.mjs';
import { provideDisplay } from './setup/display.mjs';
import { inProject, projectDir, runScript, say, SetupProblem } from './setup/project.mjs';
import { run } from './setup/run.mjs';

const QUESTION = new Set(['arguments', 'rawArguments', 'parsed', 'parameters']);
const ANSWER = new Set(['result', 'outcome', 'settled']);
const GOALS = { files: 120, question: 14, answer: 8 };
const AS_ROOT = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const COMMAND = 'echo hello > made.txt';

/** A project of links, so that what is built with maps for this stands apart from what is used. */
const walkDir = inProject('artifacts', 'walk');
const programs = new Map();

await runScript(async () => {
  await ensureReady();
  await buildWithMaps();
  const executable = ownRuntime();
  const display = await provideDisplay();
  const walked = await walk(executable, display.env).finally(display.end);
  const shapes = shapesOf(walked);
  report(walked, shapes);
  return 0;
});

async function buildWithMaps() {
  rmSync(walkDir, { recursive: true, force: true });
  mkdirSync(walkDir, { recursive: true });
  for (const name of readdirSync(projectDir))
    if (!['artifacts', 'dist', 'out', '.git', '.runtime'].includes(name))
      symlinkSync(inProject(name), join(walkDir, name));
  const tool = inProject('node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const { code, output } = await run(process.execPath, [tool, 'build', '--sourcemap', '--logLevel', 'warn'], {
    quiet: true,
    cwd: walkDir,
    env: { ...process.env, NODE_ENV: 'production' },
  });
  if (code !== 0) throw new SetupProblem(`The build failed.\n${output.trim()}`);
}

/** The runtime starts the project that its own folder names. */
function ownRuntime() {
  const source = dirname(electronExecutable());
  const target = join(walkDir, '.runtime');
  cpSync(source, target, { recursive: true, filter: (path) => path !== join(source, 'resources', 'app') });
  symlinkSync(walkDir, join(target, 'resources', 'app'));
  return join(target, relative(source, electronExecutable()));
}

async function walk(executablePath, displayEnv) {
  const { _electron } = await import('@playwright/test');
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-walk-'));
  const [dataDir, workspace] = [join(folder, 'data'), join(folder, 'workspace')];
  mkdirSync(dataDir);
  mkdirSync(workspace);
  // Commands are off until a person turns them on.
  writeFileSync(join(dataDir, 'config.toml'), '[tools.approval]\ndenylist = []\n');
  const app = await _electron.launch({
    executablePath,
    args: [...AS_ROOT, '--gateway', '--data-dir', dataDir, '--workspace', workspace],
    env: { ...process.env, ...displayEnv },
  });
  try {
    const page = await app.firstWindow();
    await page.locator('.gh-frame').waitFor();
    const { url, token } = JSON.parse(await fileOf(join(dataDir, 'gateway.json')));
    const ask = () => askForCommand(url, token);
    // What runs once in an app's life is not on the way of a call.
    await approved(page, ask);
    await app.evaluate(startCoverage);
    const answer = await approved(page, ask);
    const coverage = await app.evaluate(() => globalThis.takeCoverage());
    if (answer.status !== 'success') throw new SetupProblem(`The command was not run: ${JSON.stringify(answer)}`);
    return filesIn(coverage);
  } finally {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fileOf(path) {
  while (!existsSync(path)) await sleep(20);
  return readFileSync(path, 'utf8');
}

async function askForCommand(url, token) {
  const body = { tool_id: 'gatehouse.run_command', parameters: { command: COMMAND } };
  const response = await fetch(`${url}/v1/tool/invoke`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return await response.json();
}

async function approved(page, ask) {
  const answer = ask();
  await page.locator('.gh-sheet[data-approvable="true"]').waitFor();
  await page.locator('.gh-sheet-answers button').first().click();
  return await answer;
}

/** Runs in the app: counts what is called on its main thread and on each of its threads from here on. */
async function startCoverage() {
  const { Session } = process.getBuiltinModule('node:inspector/promises');
  const session = new Session();
  session.connect();
  const threads = new Map();
  let id = 0;
  session.on('NodeWorker.attachedToWorker', ({ params }) => threads.set(params.sessionId, new Map()));
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const message = JSON.parse(params.message);
    threads.get(params.sessionId)?.get(message.id)?.(message.result);
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const askThread = (sessionId, method, params = {}) =>
    new Promise((done) => {
      id += 1;
      threads.get(sessionId).set(id, done);
      void session.post('NodeWorker.sendMessageToWorker', {
        sessionId,
        message: JSON.stringify({ id, method, params }),
      });
    });
  const everywhere = async (method, params) => [
    await session.post(method, params),
    ...(await Promise.all([...threads.keys()].map((each) => askThread(each, method, params)))),
  ];
  await everywhere('Profiler.enable');
  await everywhere('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  globalThis.takeCoverage = async () => {
    const taken = await everywhere('Profiler.takePreciseCoverage');
    session.disconnect();
    return taken.flatMap(({ result }) => result).filter(({ url }) => url.startsWith('file:'));
  };
}

/** The sources of the functions that ran, by the maps of what was built. */
function filesIn(coverage) {
  const files = new Set();
  for (const { url, functions } of coverage) {
    const path = new URL(url).pathname;
    if (!existsSync(`${path}.map`)) continue;
    const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
    const place = placesIn(readFileSync(path, 'utf8'));
    for (const { ranges, functionName } of functions) {
      // The module itself runs once, when it is loaded.
      if (functionName === '' && ranges[0].startOffset === 0) continue;
      if (ranges[0].count === 0) continue;
      const { line, column } = place(ranges[0].startOffset);
      const { originalSource } = map.findEntry(line, column);
      if (originalSource === undefined) continue;
      const source = relative(projectDir, resolve(dirname(path), originalSource));
      if (source.startsWith('src-main') || source.startsWith('src-preload')) files.add(source);
    }
  }
  return [...files].sort(byText);
}

function placesIn(text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low, column: offset - starts[low] };
  };
}

function shapesOf(walked) {
  const types = new Map();
  for (const file of walked)
    for (const type of [...typesIn(file), ...importsOf(file).flatMap(({ from, names }) => typesIn(from, names))])
      types.set(`${type.name} (${type.file})`, type.properties);
  const having = (names) => [...types].filter(([, properties]) => properties.some((each) => names.has(each)));
  return {
    question: having(QUESTION)
      .map(([name]) => name)
      .sort(byText),
    answer: having(ANSWER)
      .map(([name]) => name)
      .sort(byText),
  };
}

function importsOf(file) {
  return programOf(file)
    .filter(({ type, source }) => type === 'ImportDeclaration' && /^[.#]/u.test(source.value))
    .map(({ source, specifiers }) => ({
      from: source.value.startsWith('#contract/')
        ? source.value.replace('#contract/', 'src-preload/contract/').replace(/js$/u, 'ts')
        : join(dirname(file), source.value).replace(/js$/u, 'ts'),
      names: specifiers.flatMap(({ imported }) => (imported === undefined ? [] : [imported.name])),
    }))
    .filter(({ from }) => existsSync(inProject(from)));
}

function typesIn(file, names = null) {
  return programOf(file)
    .map((statement) => statement.declaration ?? statement)
    .flatMap((declared) => {
      const members = membersOf(declared);
      if (members === undefined || (names !== null && !names.includes(declared.id?.name))) return [];
      const properties = members.filter(({ type }) => /^(?:TSPropertySignature|PropertyDefinition)$/u.test(type));
      return [{ name: declared.id?.name, file, properties: properties.map(({ key }) => key.name) }];
    });
}

function membersOf(declared) {
  if (declared.type === 'TSInterfaceDeclaration' || declared.type === 'ClassDeclaration') return declared.body.body;
  return declared.type === 'TSTypeAliasDeclaration' ? declared.typeAnnotation.members : undefined;
}

function programOf(file) {
  if (!programs.has(file)) programs.set(file, parseSync(file, readFileSync(inProject(file), 'utf8')).program.body);
  return programs.get(file);
}

function report(walked, shapes) {
  const rows = [
    ['Files of main', walked, GOALS.files],
    ['Shapes of the question', shapes.question, GOALS.question],
    ['Shapes of the answer', shapes.answer, GOALS.answer],
  ];
  for (const [what, found] of rows) say(`${what}:\n  ${found.join('\n  ')}`);
  const wings = new Map();
  for (const file of walked) {
    const wing = file.split('/').slice(0, 2).join('/');
    wings.set(wing, (wings.get(wing) ?? 0) + 1);
  }
  say(`By wing: ${[...wings].map(([wing, count]) => `${wing} ${count}`).join(' · ')}`);
  for (const [what, found, goal] of rows)
    say(`${found.length <= goal ? '✓' : '✗'} ${what}: ${found.length} (at most ${goal})`);
}

function byText(one, other) {
  return one < other ? -1 : 1;
}
