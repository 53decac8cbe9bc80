import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ruleIdOf } from '../../gate/planner/rule-id.js';
import { expect, it } from 'vitest';
import { DOORS } from '#contract/vocabulary/calls.js';
import { toolViews } from '../../app/tool-views.js';
import { makeAsker } from '../../domain/call/asker.js';
import type { Tool } from '../../domain/tool/tool.js';
import { applyPatchTool } from '../../tools/builtin/apply-patch/handler.js';
import { listDirectoryTool } from '../../tools/builtin/list-directory/handler.js';
import { createPutBackTool } from '../../tools/builtin/put-back/handler.js';
import { readFileTool } from '../../tools/builtin/read-file/handler.js';
import { createCommandReader } from '../../tools/builtin/run-command/analysis/command-reader.js';
import { runCommandTool } from '../../tools/builtin/run-command/run-command.js';
import { createUndoChangesTool } from '../../tools/builtin/undo-changes/handler.js';
import { writeFileTool } from '../../tools/builtin/write-file/handler.js';
import { ToolRegistry } from '../../tools/registry/registry.js';
import { defaultConfig } from './default-config.test-support.js';
import { openTestGate } from './gate.test-support.js';
import { call, ran, tracing } from './gate-tools.test-support.js';

const any = <Args>(tool: Tool<Args>): Tool<unknown> => tool;
const advertised = [
  any(applyPatchTool),
  any(listDirectoryTool),
  any(readFileTool),
  any(runCommandTool(createCommandReader())),
  any(writeFileTool),
];
const nothingKept = { changedFiles: async () => null, preview: async () => null, view: async () => null } as never;
const personsOwn = [any(createUndoChangesTool(nothingKept)), any(createPutBackTool(nothingKept))];
const names = advertised.map(({ declaration }) => declaration.name);
/** What each is asked with, so that nothing but the rules decides. */
const ARGUMENTS: Readonly<Record<string, object>> = {
  apply_patch: { patch: 'LP1\nF a.txt\nR\nmine\n.\ntheirs\n.\nEND\n' },
  list_directory: { path: '.' },
  read_file: { path: 'a.txt' },
  run_command: { command: 'ls' },
  write_file: { path: 'new.txt', content: 'x' },
};
const POLICY_OF = { run: 'allow', ask: 'ask', settled: 'deny' } as const;

it('the Tools page, a preview, what is listed and the gate say the same of every tool, whatever is set', async () => {
  const registry = new ToolRegistry();
  for (const tool of advertised) registry.register(tool);
  for (const tool of personsOwn) registry.register(tool, { advertise: false });
  const gate = await openTestGate({ tools: [], parts: { registry } });
  writeFileSync(join(gate.workspace, 'a.txt'), 'mine\n');
  const lists = [[], names, ['read_file', 'run_command']];
  let compared = 0;
  for (const mode of ['enabled', 'parse_only', 'disabled'] as const)
    for (const approvalMode of ['auto', 'prompt', 'deny'] as const)
      for (const enabled of [true, false])
        for (const allowlist of lists)
          for (const denylist of lists) {
            const config = defaultConfig({ mode, approval: { mode: approvalMode, enabled, allowlist, denylist } });
            gate.config = config;
            await gate.configChanged();
            const listed = gate.gate.listAdvertised(gate.workspace).map(({ name }) => name);
            expect(listed).toEqual(names.filter((name) => mode !== 'disabled' && !denylist.includes(name)));
            for (const view of toolViews(registry, config)) {
              const said = `${view.name} ${mode} ${approvalMode} ${enabled} ${allowlist.join()}; ${denylist.join()}`;
              const args = ARGUMENTS[view.name];
              for (const asker of [makeAsker('compose', 's'), makeAsker('mcp', 's')]) {
                const preview = await gate.planner.preview(view.name, args, asker, gate.situation(gate.workspace));
                expect(POLICY_OF[preview.disposition], said).toBe(view.policy);
                expect(preview.why, said).toBe(view.policyReason);
              }
              if (!listed.includes(view.name)) expect(view.policy, said).toBe('deny');
              compared += 1;
            }
            for (const { declaration } of personsOwn) expect(listed).not.toContain(declaration.name);
          }
  expect(compared).toBe(3 * 3 * 2 * lists.length ** 2 * names.length);
});

it('what the person does themselves goes by no rule for those who ask, and each call is recorded with its rule', async () => {
  ran.length = 0;
  const config = defaultConfig({ mode: 'disabled', approval: { enabled: false, denylist: ['takes_back'] } });
  const takesBack = tracing('takes_back', true);
  const gate = await openTestGate({ tools: [], personsOwn: [takesBack], config });
  const recorded: unknown[] = [];
  gate.journal.onCommit((events) => {
    for (const event of events) {
      if (event.type === 'batch-received') recorded.push(event.asker.door);
      if (event.type === 'call-awaiting') recorded.push(event.rule.id);
      if (event.type === 'call-authorized') recorded.push([event.grant.by, event.grant.from.id, event.grant.rule]);
      if (event.type === 'call-settled') recorded.push(event.failure?.rule?.id ?? event.state);
    }
  });
  const request = { calls: [{ requestId: null, ...call('takes_back') }], capacityBytes: null, joinable: false };
  for (const door of DOORS)
    if (door !== 'window') {
      const [asked] = await gate.gate.submit({ ...request, folder: gate.workspace, asker: makeAsker(door, 's') })
        .settled;
      expect(asked?.failure, door).toMatchObject({
        code: 'Disabled',
        rule: { layer: 'settings', id: 'settings.mode' },
      });
    }
  expect(ran).toEqual([]);
  recorded.length = 0;
  const [own] = await gate.orchestrator.submit({ ...request, folder: gate.workspace, asker: makeAsker('window', 's') })
    .settled;
  expect(own).toMatchObject({ failure: null, summary: { door: 'window' } });
  expect(ran).toEqual(['takes_back:x']);
  expect(recorded).toEqual(['window', ['person', 'person.act', 'Requested by you.'], 'COMPLETED']);

  gate.config = defaultConfig({ approval: { confirmed: [{ tool: 'other' }, { tool: 'takes_back' }] } });
  await gate.configChanged();
  recorded.length = 0;
  await gate.run(call('takes_back'));
  gate.config = defaultConfig();
  await gate.configChanged();
  const batch = gate.submit([call('takes_back')]);
  await gate.decide(batch, { kind: 'approve-all' });
  await batch.settled;
  expect(recorded).toEqual([
    'compose',
    ['standing-confirmation', `confirmation:${ruleIdOf({ tool: 'takes_back' })}`, 'Your rule lets takes_back run.'],
    'COMPLETED',
    'compose',
    'settings.side-effects',
    ['person', 'person.decision', 'Approved by you.'],
    'COMPLETED',
  ]);
});
