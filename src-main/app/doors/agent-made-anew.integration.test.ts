import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { AgentRegister } from '../../authority/agents/agent-register.js';
import { openPrograms } from '../../doors/programs.test-support.js';
import { systemClock } from '../../platform/clock.js';
import { ConfigStore } from '../../settings/config-store.js';
import { testFolder } from '../../tests/gate/gate.test-support.js';
import { ruleBook } from '../state/confirmations.js';
import { createAgent } from './agents.js';

/** Opens what is stored of agents: the person's own file with rules and settings, and the register. */
function opened() {
  const folder = testFolder('agents');
  const file = join(folder, 'config.toml');
  writeFileSync(
    file,
    [
      '[[gateway.agents]]\nname = "builder"\ncommands = "sandbox"\nsecrets = "deny"',
      '[[gateway.agents]]\nname = "other"\nedits = "ask"',
      '[[gateway.clients]]\nname = "builder"\naccess = "ask"\nfolders = ["/projects/secret"]',
      '[[tools.approval.confirmed]]\ntool = "write_file"\nagent = "builder"',
      '[[tools.approval.confirmed]]\ntool = "write_file"\nagent = "other"',
      '',
    ].join('\n\n'),
  );
  const config = new ConfigStore(file);
  onTestFinished(() => config.close());
  const rules = ruleBook({
    config,
    redactor: { text: (value) => ({ value, count: 0 }) },
    clock: systemClock,
    onProblem: () => undefined,
    onChange: () => undefined,
  });
  const register = new AgentRegister(join(folder, 'agents.json'), () => systemClock.now());
  const create = async (name = 'builder'): Promise<string> => {
    const made = await createAgent(name, { register, rules, config });
    if (!made.ok) throw new Error(made.problem);
    return made.token;
  };
  return { file, config, rules, register, create };
}

it('who is given a revoked name has nothing that was allowed or said to who had it', async () => {
  const { file, config, rules, register, create } = opened();
  await rules.remember({ tool: 'read_file', agent: 'builder' }, 'quit');
  await create();
  const of = (name: string) => rules.all().filter(({ rule }) => rule.agent === name);
  expect([of('builder').length, of('other').length]).toEqual([2, 1]);
  register.revoke('builder');
  await create();
  expect([of('builder').length, of('other').length]).toEqual([0, 1]);
  expect(config.current.gateway.agents).toEqual([{ name: 'other', edits: 'ask' }]);
  // What tightens stays.
  expect(config.own.gateway.clients).toEqual([{ name: 'builder', access: 'ask' }]);
  expect(readFileSync(file, 'utf8')).not.toContain('/projects/secret');
});

it('who is given a revoked name has none of the calls, ids and keys of who had it', async () => {
  const { register, create } = opened();
  const programs = await openPrograms({
    workspace: testFolder('workspace'),
    agents: {
      findByToken: (given) => register.findByToken(given.replace('token-of-', '')),
      getStatus: (name) => register.getStatus(name),
      getHolder: (name) => register.getHolder(name),
    },
  });
  writeFileSync(join(programs.gate.workspace, 'a.txt'), 'for the first\n');
  const ask = {
    tool_id: 'gatehouse.read_file',
    parameters: { path: 'a.txt' },
    invocation_id: randomUUID(),
    execution_options: { idempotency_key: 'k' },
  };
  const first = await create();
  const began = await programs.post('/v1/tool/invoke', ask, first);
  expect(began.body).toMatchObject({ status: 'success' });
  expect(JSON.stringify(began.body)).toContain('for the first');
  const list = async (token: string) => (await programs.get('/v1/calls', token)).body['calls'] as { callId: string }[];
  const [call] = await list(first);
  expect((await programs.get(`/v1/calls/${call?.callId ?? ''}`, first)).status).toBe(200);

  register.revoke('builder');
  const second = await create();
  writeFileSync(join(programs.gate.workspace, 'a.txt'), 'for the second\n');
  expect(await list(second)).toEqual([]);
  expect((await programs.get(`/v1/calls/${call?.callId ?? ''}`, second)).status).toBe(404);
  expect((await programs.get(`/v1/tool/status/${ask.invocation_id}`, second)).status).toBe(404);
  const again = await programs.post('/v1/tool/invoke', { ...ask, invocation_id: randomUUID() }, second);
  expect(JSON.stringify(again.body)).toContain('for the second');
  expect(await list(second)).toHaveLength(1);
});
