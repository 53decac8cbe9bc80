// The real gate behind the real doors in a process of its own, for a test that kills it. It asks itself over HTTP for a thousand async calls of ten
// agents, lets them begin once all are taken, and kills itself in the middle. Started again, it is asked for more while it is to be decided
// about unfinished work, and kills itself when these are taken; started once more, it goes on with what is left.
import '../journal/reading/source-hooks.test-support.ts';
import { appendFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const { NO_DOMAIN } = await import('./no-domain.test-support.js');
const { composeDoors } = await import('../app/doors/doors.js');
const { defaultConfig } = await import('../tests/gate/default-config.test-support.js');
const { openCrashGate } = await import('../tests/gate/crash-gate.test-support.js');
const { noteOutput, noteTool } = await import('../tools/builtin/tools.test-support.js');
const { RegistryCatalog } = await import('../tools/registry/tool-catalog.js');
const { ToolRegistry } = await import('../tools/registry/registry.js');

const [dataDir = '', workspace = '', plan = 'ask', killAfter = '0'] = process.argv.slice(2);
const say = (line: string): void => void writeSync(1, `${line}\n`);
const AGENTS = 10;
const EACH = plan === 'hold' ? 2 : 100;
const PRIORITIES = ['low', 'normal', 'high'] as const;

const base = defaultConfig();
// However slow this machine is, nothing counts as starved.
const config = { ...base, invoke: { ...base.invoke, starvation_seconds: 86_400 } };
const begin = Promise.withResolvers<void>();
let ran = 0;
const work = noteTool(
  { name: 'work', sideEffecting: false },
  {
    execute: async ({ text }, { callId }) => {
      appendFileSync(join(dataDir, 'ran.log'), `${callId}\n`);
      ran += 1;
      if (ran === Number(killAfter)) process.kill(process.pid, 'SIGKILL');
      if (plan === 'ask') await begin.promise;
      return noteOutput(text);
    },
  },
);
let registry = new ToolRegistry();
const gate = await openCrashGate({
  dataDir,
  workspace,
  config,
  place: () => undefined,
  ran: () => undefined,
  register: async (all) => {
    registry = all;
    all.register(work);
  },
});
if (plan === 'ask' || plan === 'hold') await ask();
else {
  gate.recovery.decide('resume');
  const over = Promise.withResolvers<void>();
  const look = (): void => {
    const { running, waiting } = gate.orchestrator.activity;
    if (running + waiting > 0) return;
    if (gate.journal.openBatches().every(({ calls }) => calls.every(({ settled }) => settled))) over.resolve();
  };
  gate.journal.onCommit(look);
  look();
  await over.promise;
  say('done');
  await gate.close();
}
process.exit(0);

async function ask(): Promise<void> {
  const doors = composeDoors({
    testTools: null,
    gate: gate.gate,
    sources: () => [],
    domain: NO_DOMAIN,
    programs: {
      invocations: gate.journal.invocations,
      catalog: new RegistryCatalog(registry, () => config),
      finder: { find: () => Promise.reject(new Error('Nobody searches here.')) },
    },
    reader: () => {
      throw new Error('Nobody reads here.');
    },
    folders: { mayUse: () => true, resolveSessionFolder: async () => workspace, openBeside: async () => null },
    snapshot: () => {
      throw new Error('There is no window.');
    },
    config: () => config,
    forced: true,
    agents: {
      findByToken: (token) => (token.startsWith('agent-') ? token : null),
      getStatus: () => 'known',
      getHolder: (id) => ({ id, since: 0 }),
    },
    agentLimits: { sessions: () => 64, recordedTooMuch: () => null },
    version: '0.0.0',
    dataDir,
    launcher: () => ({ command: '', args: [], url: null, token: null }),
    keepEnabled: () => Promise.resolve(null),
    publish: () => undefined,
    report: (message, error) => say(`fault ${message} ${String(error)}`),
  });
  await doors.start();
  const { url } = doors.connectInfo();
  const one = async (agent: string, at: number): Promise<void> => {
    const priority = PRIORITIES[at % PRIORITIES.length] ?? 'normal';
    const response = await fetch(`${url}/v1/tool/invoke`, {
      method: 'POST',
      headers: { authorization: `Bearer ${agent}` },
      body: JSON.stringify({
        tool_id: 'test.work',
        parameters: { text: String(at) },
        execution_options: { async_mode: true, priority, idempotency_key: `${plan}${at}` },
      }),
    });
    const { invocation_id: id } = (await response.json()) as { readonly invocation_id: string };
    say(`taken ${response.status} ${id} ${priority} ${agent}`);
  };
  const all = Array.from({ length: AGENTS }, async (_, which) => {
    for (let at = 0; at < EACH; at += 1) await one(`agent-${which}`, at);
  });
  await Promise.all(all);
  if (plan === 'hold') process.kill(process.pid, 'SIGKILL');
  begin.resolve();
  // Until it kills itself.
  await new Promise(() => setInterval(() => undefined, 1000));
}
