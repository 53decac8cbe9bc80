import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Config } from '#contract/vocabulary/config.js';
import { noteTool } from '../../tools/builtin/tools.test-support.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { defaultConfig } from '../../tests/gate/default-config.test-support.js';
import { openTestGate, testFolder } from '../../tests/gate/gate.test-support.js';
import type { Shell } from '../shell.js';
import { openToolSearch } from './tool-search.js';

// Nothing of it is used here: the sentence model, which would be a process of it, is never started.
vi.mock('electron', () => ({}));

const NAMES = ['far__draw_map', 'far__draw_plan', 'far__draw_tree'];

/** Opens search, registry and gate as the app joins them; only the window's side of the shell is missing. */
async function openAsWired(config: Config) {
  const registry = new ToolRegistry();
  for (const name of NAMES)
    registry.register(noteTool<'reads'>({ id: name.replace('__', '.'), name, description: 'Draws something.' }));
  const shell = {
    config: { everywhere: config, watch: () => () => undefined },
    built: '/nowhere',
    paths: { toolVectors: join(testFolder('vectors'), 'vectors') },
    redactor: { text: (value: string) => ({ value, count: 0 }) },
    logger: { warn: () => undefined },
    shown: Promise.resolve(),
  };
  const wing = openToolSearch(shell as unknown as Shell, registry);
  onTestFinished(() => wing.close());
  const gate = await openTestGate({ tools: [], config, parts: { registry } });
  return async (): Promise<readonly string[]> => {
    const batch = gate.submit([{ tool: 'find_tools', arguments: { query: 'draw something', limit: 20 } }], {
      door: 'mcp',
      client: 'agent 1',
      agent: 'one',
    });
    const [found] = await batch.settled;
    expect(found?.failure).toBeNull();
    const said = found?.result.structured as { readonly tools: readonly { readonly name: string }[] } | undefined;
    return (said?.tools ?? []).map(({ name }) => name).sort();
  };
}

const words = (changes: Partial<Config['tools']['approval']> = {}): Config => {
  const config = defaultConfig();
  return {
    ...config,
    search: { ...config.search, provider: 'words' },
    tools: { ...config.tools, approval: { ...config.tools.approval, ...changes } },
  };
};

it('as the app wires it, find_tools names what may be called', async () => {
  const find = await openAsWired(words());
  expect(await find()).toEqual(NAMES);
});

it('find_tools leaves out what the person denies by its name', async () => {
  const find = await openAsWired(words({ denylist: ['far__draw_map'] }));
  expect(await find()).toEqual(['far__draw_plan', 'far__draw_tree']);
});
