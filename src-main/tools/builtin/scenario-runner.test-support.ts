import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, lstat, readdir, readFile, readlink, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { Tool } from '../../domain/tool/tool.js';
import { type CallLimits, type CallResult, FileToolBench } from './file-tool.test-support.js';

/**
 * A scenario is a folder: `input/` (a workspace), `call.json` (what is called), `result.json` (what comes back), and
 * `expected/` (the workspace after; when absent, it is as it was).
 */
interface ScenarioCall {
  readonly arguments: JsonObject;
  /** Calls that come before, in the same conversation: `["read_file", {"path": "a"}]`. */
  readonly before?: ReadonlyArray<readonly [string, JsonObject]>;
  readonly limits?: CallLimits;
  /** Links in the workspace, by path: their targets. Kept here since tools that read this tree would follow them. */
  readonly links?: Readonly<Record<string, string>>;
  /** Merged over the default `tools` configuration, table by table. */
  readonly config?: Readonly<Record<string, JsonObject>>;
}

/** Times are not the scenario's to fix. */
const withoutTimes = (text: string): string => text.replace(/"modified_epoch_ms":-?\d+/g, '"modified_epoch_ms":0');

/** Tools are called by name here, each with its own arguments. */
type AnyTool = Tool<unknown>;

/** Runs the scenarios of a folder. `others` are tools that a scenario calls before. */
export function runScenarios<Args>(here: string, tested: Tool<Args>, others: readonly AnyTool[] = []): void {
  const tool = tested as unknown as AnyTool;
  const folder = fileURLToPath(new URL('./scenarios/', here));
  describe(`scenarios of ${tool.declaration.name}`, () => {
    for (const name of readdirSync(folder).toSorted()) {
      it(name, () => runScenario(join(folder, name), tool, [tool, ...others]));
    }
  });
}

async function runScenario(folder: string, tool: AnyTool, tools: readonly AnyTool[]): Promise<void> {
  const call = JSON.parse(readFileSync(join(folder, 'call.json'), 'utf8')) as ScenarioCall;
  await using bench = await FileToolBench.create((config) => merged(config, call.config ?? {}));
  const input = join(folder, 'input');
  if (existsSync(input)) await cp(input, bench.root, { recursive: true, verbatimSymlinks: true });
  const links = Object.entries(call.links ?? {});
  for (const [path, target] of links) await symlink(target, join(bench.root, path));
  const before = await treeOf(bench.root);
  for (const [name, args] of call.before ?? []) {
    const earlier = tools.find((one) => one.declaration.name === name);
    if (earlier === undefined) throw new Error(`${folder}: no tool ${name}`);
    expect(await bench.call(earlier, args)).toMatchObject({ ok: true });
  }
  const result = await bench.call(tool, call.arguments, call.limits);
  const expected: unknown = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'));
  expect(shown(result)).toMatchObject(expected as object);
  const after = join(folder, 'expected');
  const kept = Object.fromEntries(links.map(([path, target]) => [path, `-> ${target}`]));
  expect(await treeOf(bench.root)).toEqual(existsSync(after) ? { ...(await treeOf(after)), ...kept } : before);
}

function shown(result: CallResult): object {
  if (!result.ok) return { outcome: 'failure', ...result.failure };
  const { content, structured } = result.output;
  return {
    outcome: 'success',
    content: withoutTimes(content),
    structured: JSON.parse(withoutTimes(JSON.stringify(structured))) as unknown,
    changed: result.changed.map(({ path, change }) => `${change} ${path}`),
  };
}

function merged(config: Config, changes: Readonly<Record<string, JsonObject>>): Config {
  const tables = config.tools as unknown as Record<string, object>;
  const changed = Object.fromEntries(
    Object.entries(changes).map(([table, values]) => [table, { ...tables[table], ...values }]),
  );
  return { ...config, tools: { ...config.tools, ...changed } };
}

/** Every path with what is there: text, the target of a link, or that it is a folder. */
export async function treeOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const tree: Record<string, string> = {};
  // By their kinds, so that no link is gone into.
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const path of entries.map((entry) => join(entry.parentPath, entry.name)).toSorted()) {
    const name = relative(folder, path);
    const status = await lstat(path);
    if (status.isSymbolicLink()) tree[name] = `-> ${await readlink(path)}`;
    else if (status.isDirectory()) tree[name] = 'folder';
    else tree[name] = await readFile(path, 'latin1');
  }
  return tree;
}
