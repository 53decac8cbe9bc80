import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// Every guard of the code's shape is proved by breaking it once on purpose: a guard that can't fail guards nothing.
const projectDir = resolve(import.meta.dirname, '..');
const run = promisify(execFile);
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-guards-'));
  symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'));
  for (const name of ['package.json', 'tsconfig.base.json', '.oxlintrc.json'])
    copyFileSync(join(projectDir, name), join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): void {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

/** What a tool says, also when it ends with an error: that is what is wanted of it. */
async function output(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 };
  const { stdout } = await run(program, [...args], options).catch((error: { stdout: string }) => error);
  return stdout;
}

describe('Dependency rules', () => {
  const violations: Readonly<Record<string, readonly [file: string, imports: string, inFolder?: string]>> = {
    'no-circular': ['src-main/domain/one.ts', './two.js'],
    'no-unresolvable': ['src-main/domain/lost.ts', './nothing.js'],
    'contract-is-pure': ['src-preload/contract/impure.ts', 'node:path'],
    'vocabulary-is-everybodys': ['src-preload/contract/vocabulary/seeing.ts', '../window/target.js'],
    'domain-is-pure': ['src-main/domain/impure.ts', '#contract/window/target.js'],
    'preload-is-narrow': ['src-preload/index.ts', 'node:path'],
    'renderer-touches-nothing': ['src-renderer/reaching.ts', '../src-main/platform/target.js'],
    'renderer-has-no-node': ['src-renderer/noded.ts', 'node:path'],
    'main-imports-only-the-contract': ['src-main/platform/backwards.ts', '../../src-preload/bridge.js'],
    'features-are-apart': ['src-renderer/features/health/sideways.ts', '../history/target.js'],
    'calls-know-no-feature': ['src-renderer/calls/card/upwards.ts', '../../features/history/target.js'],
    'ui-is-prop-only': ['src-renderer/ui/text/asking.ts', '../../store/target.js'],
    'store-shows-nothing': ['src-renderer/store/showing.ts', '../ui/target.js'],
    'renderer-folders-in-one-direction': [
      'src-renderer/ui/form/there.ts',
      '../layout/target.js',
      'src-renderer/ui/form',
    ],
    'wings-are-apart': ['src-main/workspace/sideways.ts', '../journal/target.js'],
    'the-window-meets-wings-in-app': ['src-main/window/reaching.ts', '../journal/target.js'],
    'the-ground-stands-alone': ['src-main/platform/upstairs.ts', '../journal/target.js'],
    'gate-rooms-are-apart': ['src-main/gate/planner/sideways.ts', '../executor/target.js'],
    'a-call-ends-in-one-place': ['src-main/gate/executor/ending-too.ts', '../../domain/call/settled-event.js'],
    'doors-are-apart': ['src-main/doors/mcp/sideways.ts', '../http/target.js'],
    'tools-are-apart': ['src-main/tools/builtin/read-file/sideways.ts', '../write-file/target.js'],
    'app-alone-joins': ['src-main/platform/upwards.ts', '../app/compose.js'],
    'tests-serve-no-product': ['src-main/app/served.ts', '../tests/target.js'],
    'sockets-only-where-named': ['src-main/gate/calling.ts', 'node:http'],
    'sqlite-only-in-journal': ['src-main/gate/executor/sqlite.ts', 'better-sqlite3'],
    'processes-only-in-process': ['src-main/gate/executor/spawning.ts', 'node:child_process'],
    'onnx-only-in-sentence-model': ['src-main/tools/registry/search/loading.ts', 'onnxruntime-node'],
    'keyring-only-in-system-store': ['src-main/journal/keyring.ts', '@napi-rs/keyring'],
    'model-sdks-only-in-providers': ['src-main/conversation/loop/asking.ts', '@ai-sdk/provider'],
    'ajv-only-in-json-schema': ['src-main/gate/executor/validating.ts', 'ajv/dist/2020.js'],
    'xterm-only-in-terminal': ['src-renderer/features/health/terminal.ts', '@xterm/xterm'],
    'fs-only-behind-gates': ['src-main/gate/executor/filing.ts', 'node:fs'],
    'electron-only-where-windows-are': ['src-main/gate/executor/windowing.ts', 'electron'],
  };
  const { forbidden } = createRequire(import.meta.url)('../.dependency-cruiser.cjs') as {
    forbidden: readonly { name: string }[];
  };
  let found: readonly { rule: { name: string }; from: string }[] = [];

  beforeAll(async () => {
    for (const [file, imports] of Object.values(violations))
      write(file, `import '${imports}';\nexport const here = 1;\n`);
    write('src-main/domain/two.ts', "import './one.js';\n");
    for (const target of ['platform', 'tests', 'journal', 'gate/executor', 'doors/http', 'tools/builtin/write-file']) {
      write(`src-main/${target}/target.ts`, 'export const target = 1;\n');
    }
    for (const target of ['features/history', 'store', 'ui', 'ui/layout']) {
      write(`src-renderer/${target}/target.ts`, 'export const target = 1;\n');
    }
    // A cycle of folders, and none of files.
    write('src-renderer/ui/layout/back.ts', "import '../form/here.js';\n");
    write('src-renderer/ui/form/here.ts', 'export const here = 1;\n');
    write('src-main/app/compose.ts', 'export const target = 1;\n');
    write('src-main/domain/call/settled-event.ts', 'export const target = 1;\n');
    write('src-preload/contract/window/target.ts', 'export const target = 1;\n');
    write('src-preload/bridge.ts', 'export const target = 1;\n');
    const rules = JSON.stringify(join(projectDir, '.dependency-cruiser.cjs'));
    // Seen through the link as the project sees them: by their place in node_modules.
    write(
      'rules.cjs',
      `const rules = require(${rules});\nmodule.exports = { ...rules, options: { ...rules.options, preserveSymlinks: true } };\n`,
    );
    const cruiser = join(projectDir, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs');
    const folders = ['src-preload', 'src-main', 'src-renderer'];
    const json = await output(process.execPath, [cruiser, '--config', 'rules.cjs', '-T', 'json', ...folders], {
      ...process.env,
      ELECTRON_RUN_AS_NODE: '1',
    });
    found = (JSON.parse(json) as { summary: { violations: typeof found } }).summary.violations;
  });

  test.each(forbidden.map(({ name }) => name))('%s is noticed', (name) => {
    const [file, , inFolder] = violations[name] ?? [];
    expect(file, `There is no violation for ${name}: add one.`).toBeDefined();
    expect(found.filter(({ rule }) => rule.name === name).map(({ from }) => from)).toContain(inFolder ?? file);
  });
});

describe('The linter', () => {
  test.each([
    [
      'ipcRenderer outside the bridge',
      'src-renderer/raw.ts',
      "import { ipcRenderer } from 'electron';\nexport const send = ipcRenderer.send;\n",
      'no-restricted-imports',
    ],
    [
      'ipcMain outside its gate',
      'src-main/window/raw.ts',
      "import { ipcMain } from 'electron';\nexport const handle = ipcMain.eventNames();\n",
      'no-restricted-imports',
    ],
    [
      'contextBridge in the bridge’s neighbour',
      'src-preload/other.ts',
      "import { contextBridge } from 'electron';\nexport const bridge = contextBridge;\n",
      'no-restricted-imports',
    ],
    [
      'a client where servers listen',
      'src-main/doors/http/asking.ts',
      "import { request } from 'node:http';\nexport const ask = request;\n",
      'no-restricted-imports',
    ],
    [
      'the whole module of clients where servers listen',
      'src-main/doors/http/asking-by-name.ts',
      "import * as http from 'node:http';\nexport const ask = http.request;\n",
      'no-restricted-imports',
    ],
    [
      'fetch outside its rooms',
      'src-main/gate/fetching.ts',
      "export const fetched = () => fetch('http://127.0.0.1/');\n",
      'no-restricted-globals',
    ],
    ['any', 'src-main/any.ts', 'export const loose = (value: any) => value;\n', 'no-explicit-any'],
    [
      'a non-null assertion',
      'src-main/sure.ts',
      'export const sure = (value: string | null) => value!;\n',
      'no-non-null-assertion',
    ],
    ['eval', 'src-main/evil.ts', "export const evil = eval('1');\n", 'no-eval'],
    [
      'HTML from text',
      'src-renderer/html.tsx',
      'export const Html = ({ text }: { text: string }) => <div dangerouslySetInnerHTML={{ __html: text }} />;\n',
      'no-danger',
    ],
    ['a default export', 'src-main/standard.ts', 'export default 1;\n', 'no-default-export'],
    [
      'one name for two things',
      'src-renderer/shadow.ts',
      'export const first = (part: string) => [part].map((part) => part.length);\n',
      'no-shadow',
    ],
    [
      'a function that does too much',
      'src-main/process/output/long.ts',
      `export function long() {\n${'  void 0;\n'.repeat(101)}}\n`,
      'max-lines-per-function',
    ],
    ['the console', 'src-main/loud.ts', "console.log('here');\n", 'no-console'],
  ])('%s is noticed', async (_what, file, text, rule) => {
    write(file, text);
    const said = await output(join(projectDir, 'node_modules', '.bin', 'oxlint'), ['-f', 'unix', file]);
    expect(said).toContain(rule);
  });
});

describe('The search for dead code', () => {
  test('does not take a test for a use', async () => {
    const place = join(folder, 'dead');
    for (const name of ['package.json', 'knip.jsonc']) {
      mkdirSync(place, { recursive: true });
      copyFileSync(join(projectDir, name), join(place, name));
    }
    write('dead/src-main/index.ts', "import { used } from './kept.js';\nused();\n");
    write('dead/src-main/kept.ts', 'export const used = () => 1;\nexport const onlyTested = () => 2;\n');
    write('dead/src-main/kept.test.ts', "import { onlyTested } from './kept.js';\nonlyTested();\n");
    write('dead/src-main/left.ts', 'export const left = 1;\n');
    write('dead/src-main/left.test-support.ts', "import { left } from './left.js';\nexport const more = left;\n");
    // By its shebang: under Electron it can't resolve what a file imports.
    const knip = join(projectDir, 'node_modules', '.bin', 'knip');
    const said = await output(knip, ['--directory', place, '--production', '--include', 'files,exports']);
    expect(said).toContain('onlyTested');
    expect(said).toContain('src-main/left.ts');
    expect(said).not.toMatch(/\bused\b|kept\.test|test-support/);
  });

  test('is a step of the checks', () => {
    const steps = readFileSync(join(projectDir, 'scripts', 'test', 'checks.mjs'), 'utf8');
    expect(steps).toContain("'--production'");
  });
});

describe('The compiler', () => {
  async function compile(text: string): Promise<string> {
    const types = join(projectDir, 'src-main', 'window', 'border', 'border.js');
    write('compile/handlers.ts', `import type { Handlers } from ${JSON.stringify(types)};\n${text}`);
    write(
      'compile/tsconfig.json',
      JSON.stringify({
        extends: '../tsconfig.base.json',
        compilerOptions: { lib: ['ES2024'], types: ['node'], typeRoots: [join(projectDir, 'node_modules', '@types')] },
        files: ['handlers.ts'],
      }),
    );
    return await output(join(projectDir, 'node_modules', '.bin', 'tsc'), ['-p', 'compile/tsconfig.json']);
  }
  const all = 'declare const all: Handlers;\n';

  test('takes a table with every handler', async () => {
    expect(await compile(`${all}export const handlers: Handlers = { ...all };\n`)).toBe('');
  });

  test('refuses one with a handler missing, and says which', async () => {
    const said = await compile(
      `${all}const { 'calls.stop': stop, ...rest } = all;\nvoid stop;\nexport const handlers: Handlers = rest;\n`,
    );
    expect(said).toContain('calls.stop');
  });

  test('refuses a handler that answers with something else than the contract says', async () => {
    const wrong = "{ ...all, 'app.answer': async () => ({ ok: true, value: 'yes' }) }";
    expect(await compile(`${all}export const handlers: Handlers = ${wrong};\n`)).toContain('error TS');
  });

  test('refuses the DOM in main', async () => {
    expect(await compile('export const title = document.title;\nexport type All = Handlers;\n')).toContain('document');
  });
});

describe('The built bundles', () => {
  const built = (...parts: string[]) => readFileSync(join(projectDir, 'out', ...parts), 'utf8');

  test('The preload requires electron and nothing else', () => {
    const required = [...built('preload', 'index.cjs').matchAll(/\brequire\(\s*["'`]([^"'`]+)["'`]\s*\)/g)];
    expect(new Set(required.map(([, name]) => name))).toEqual(new Set(['electron']));
    expect(built('preload', 'index.cjs')).not.toMatch(/\bimport\s*\(|\bprocess\.(?:binding|dlopen)\b/);
  });

  test('The window’s bundle holds no module of Node and no Electron, and evaluates nothing', async () => {
    const { readdirSync } = await import('node:fs');
    const scripts = readdirSync(join(projectDir, 'out', 'renderer', 'assets')).filter((name) => name.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(0);
    for (const name of scripts) {
      const text = built('renderer', 'assets', name);
      expect(text, name).not.toMatch(
        /(?:from|import|import\(|require\()\s*["'`](?:node:|electron|fs|path|child_process|crypto)["'`/]/,
      );
      expect(text, name).not.toMatch(/["'`]node:[a-z_/]+["'`]/);
      expect(text, name).not.toMatch(/\bnew Function\(|\beval\(/);
    }
  });

  test('The page holds no inline script, style or handler', () => {
    const html = built('renderer', 'index.html');
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/);
  });
});
