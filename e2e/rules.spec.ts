import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, callTool, connectAgent, gatewayOf } from './agent.js';
import { expect, type Gatehouse, makeFolder, test } from './app.js';
import { denyAll, sheet } from './compose-door.js';
import { keepScreenshot } from './look.js';
import { withoutBubblewrap } from './without-bubblewrap.js';

const CONFIG = `[tools]
max_tool_calls_per_batch = 40
[tools.approval]
denylist = []
[[tools.approval.confirmed]]
tool = "run_command"
command = "npm test"
[[tools.approval.confirmed]]
tool = "run_command"
prefix = "npm run"
`;
const packageJson = (script: string): string =>
  JSON.stringify({
    name: 'sample',
    version: '1.0.0',
    scripts: { test: script, x: 'echo x >> ran.txt', say: 'echo said' },
  });
const FILES = {
  'package.json': packageJson('echo test >> ran.txt'),
  'sub/package.json': packageJson('touch pwned ../pwned'),
  'src/index.ts': 'kept\n',
  x: 'touch pwned\n',
};

/** Each ran something that nobody confirmed, or wrote where nobody saw. */
const FOOLED: readonly string[] = [
  "npm test; [ x || sh -c 'touch pwned' ]",
  "npm test; [[ x || sh -c 'touch pwned' ]]",
  'npm test; [ x & touch pwned ]',
  "npm test; [ x\nsh -c 'touch pwned' ]",
  'npm test; [ x || rm -rf src ]',
  'npm test; [ a > src/index.ts ]',
  'npm test; ((1 | sh - x))',
  'npm run x \\\r\ntouch pwned',
  "npm run x $'a\\'; touch pwned #'",
  'npm run x $[1 | sh = x ]',
  'npm run == 1 | touch pwned ]',
  'npm run =~ a ; touch pwned x esac ]]',
  'npm run --script-shell=./x x',
  'npm test --prefix other',
  'npm test & touch pwned',
  'npm run $(touch pwned)',
  'cd sub && npm test',
  'cd sub; npm test',
  'cd link && npm test',
];

interface Waiting {
  readonly approvals: readonly { readonly callId: string; readonly summary: string }[];
}

interface Recorded {
  readonly arguments: unknown;
  readonly events: readonly { readonly note: string | null }[];
}

test('A rule lets run what it was given for, as it was given: not what looks like it, runs something else, or is held less', async ({
  launch,
}) => {
  const first = await launch({ files: FILES, config: CONFIG, flags: ['--gateway'] });
  await nothingButWhatWasConfirmed(first);
  await askedAgainWhenTheScriptChanges(first);
  await first.close();
  await askedWhereCommandsAreHeldLess(launch, first);
});

async function nothingButWhatWasConfirmed({ page, dataDir, pid, workspace }: Gatehouse): Promise<void> {
  const gateway = await gatewayOf(dataDir, pid);
  const agent = await connectAgent(gateway);
  const run = (command: string) => callTool(agent, 'run_command', { command });
  // What a rule covers runs, and nobody is asked.
  for (const command of [
    'npm test',
    'npm run -s "say" 2>&1 | tail -n 1',
    'CI=1 npm run x -- a >/dev/null && npm test',
    `cd ${workspace} && npm run say`,
  ])
    expect(await run(command), command).toMatchObject({ isError: false });
  expect(readFileSync(join(workspace, 'ran.txt'), 'utf8').replaceAll(' a', '')).toBe('test\nx\ntest\n');
  const said = await run('npm run -s "say" 2>&1 | tail -n 1');
  expect(said.text).toBe('said\n');
  // The record says what was asked, and what ran in its place.
  const call = await ask<Recorded>(gateway, `/v1/calls/${said.callId}`);
  expect(call.arguments).toEqual({ command: 'npm run -s "say" 2>&1 | tail -n 1' });
  expect(call.events.map(({ note }) => note)).toContain(
    "Your rule “npm run …” lets it run. It ran as: 'npm' 'run' '-s' 'say' 2>&1 | 'tail' '-n' '1'",
  );

  symlinkSync('sub', join(workspace, 'link'));
  const answers = FOOLED.map(run);
  const waiting = async () => (await ask<Waiting>(gateway, '/v1/approvals')).approvals.length;
  await expect.poll(waiting).toBe(FOOLED.length);
  await expect(sheet(page)).toContainText(
    'No rule can cover this. Its words can’t be read with certainty: a glob or a test.',
  );
  await expect(sheet(page).getByText('means different things to different shells').first()).toBeVisible();
  await keepScreenshot(page, 'rule-not-understood');
  // What came after the sheet was drawn stands behind it, and is decided by nothing that is on it.
  await expect
    .poll(async () => {
      if ((await waiting()) > 0) await denyAll(page);
      return waiting();
    })
    .toBe(0);
  for (const answer of answers) expect(await answer).toMatchObject({ code: 'DeniedByPerson' });
  expect(existsSync(join(workspace, 'pwned'))).toBe(false);
  expect(readFileSync(join(workspace, 'src/index.ts'), 'utf8')).toBe('kept\n');
  await agent.close();
}

async function askedAgainWhenTheScriptChanges({ page, dataDir, pid, workspace }: Gatehouse): Promise<void> {
  const gateway = await gatewayOf(dataDir, pid);
  const agent = await connectAgent(gateway);
  writeFileSync(join(workspace, 'package.json'), packageJson('touch pwned'));
  const changed = callTool(agent, 'run_command', { command: 'npm test' });
  await expect(sheet(page)).toContainText('has changed since you made the rule: package.json');
  await expect(sheet(page)).toContainText('test: touch pwned');
  await keepScreenshot(page, 'rule-runner-changed');
  expect((await ask<Waiting>(gateway, '/v1/approvals')).approvals).toHaveLength(1);
  await denyAll(page);
  expect(await changed).toMatchObject({ code: 'DeniedByPerson' });
  expect(existsSync(join(workspace, 'pwned'))).toBe(false);
  // As it was confirmed, it runs as before.
  writeFileSync(join(workspace, 'package.json'), FILES['package.json']);
  expect(await callTool(agent, 'run_command', { command: 'npm test' })).toMatchObject({ isError: false });
  await agent.close();
}

async function askedWhereCommandsAreHeldLess(
  launch: (options: object) => Promise<Gatehouse>,
  { dataDir, workspace }: Gatehouse,
): Promise<void> {
  const folder = makeFolder('launcher');
  const launcher = withoutBubblewrap(folder);
  rmSync(join(workspace, 'ran.txt'));
  const app = await launch({ dataDir, workspace, flags: ['--gateway'], launcher });
  // To an ordinary user what was started is not the app itself, but what hides bubblewrap from it.
  const gateway = await gatewayOf(dataDir, await app.electron.evaluate(() => process.pid));
  const agent = await connectAgent(gateway);
  const unconfined = callTool(agent, 'run_command', { command: 'npm test' });
  await expect(sheet(app.page)).toContainText('with less sandboxing than when you made it (now: unconfined)');
  await expect(sheet(app.page)).toContainText('bubblewrap is not installed');
  await denyAll(app.page);
  expect(await unconfined).toMatchObject({ code: 'DeniedByPerson' });
  expect(existsSync(join(workspace, 'ran.txt'))).toBe(false);
  await agent.close();
  await app.close();
  rmSync(folder, { recursive: true });
}
