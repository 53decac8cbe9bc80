import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { HookSettings } from '#contract/vocabulary/hooks.js';
import { configWith } from '../../process/process.test-support.js';
import { openTestPrograms } from '../../process/programs/programs.test-support.js';
import { openTestHooks } from './hooks.test-support.js';
import { MAX_AT_ONCE } from './persons-hooks.js';
import { never, programs, call, place, judge, workspace, DENIES } from './persons-hooks.test-support.js';

it('is told of the call in one line, as it is, and its word stands', async () => {
  const made = openTestHooks(programs.held);
  made.settings = [
    made.script('tells', 'cat > /tmp/in; printf \'{"decision":"deny","reason":"%s"}\' "$(base64 -w0 < /tmp/in)"', {
      tools: ['gatehouse.*'],
    }),
  ];
  const { runs, verdict } = await judge(made);
  expect(runs).toEqual([
    { name: 'tells', when: 'before', ms: expect.any(Number), decision: 'deny', reason: expect.any(String) },
  ]);
  const [run] = runs;
  const told = Buffer.from((run !== undefined && 'reason' in run && run.reason) || '', 'base64').toString();
  expect(JSON.parse(told)).toEqual({
    when: 'before',
    call: {
      callId: 'call-1',
      toolId: 'gatehouse.write_file',
      version: '1.0.0',
      arguments: { path: 'a.txt', content: 'password=hunter2hunter2' },
      risk: 'medium',
      summary: 'Write a.txt',
      door: 'mcp',
      client: 'claude 1',
      agent: 'builder',
    },
  });
  expect(verdict).toMatchObject({
    kind: 'deny',
    failure: {
      code: 'NotPermitted',
      message: expect.stringMatching(/^The hook “tells” denied this call: ./u),
      rule: { layer: 'policy', id: 'hook:tells' },
    },
  });
});

it.each([
  ['nothing', 'true', { decision: 'allow', reason: null }, 'nothing'],
  ['a yes', 'echo \'{"decision":"allow"}\'', { decision: 'allow', reason: null }, 'nothing'],
  ['a question', 'echo \'{"decision":"ask","reason":"big"}\'', { decision: 'ask', reason: 'big' }, 'ask'],
  ['a no without a reason', 'echo \'{"decision":"deny"}\'', { decision: 'deny', reason: null }, 'deny'],
  ['a failure', 'exit 3', { failed: 'it ended with exit code 3' }, 'deny'],
  ['a no of one that fails', 'echo \'{"decision":"deny"}\'; exit 1', { failed: 'it ended with exit code 1' }, 'deny'],
  ['words on its way out', 'echo oh >&2; exit 1', { failed: 'it ended with exit code 1 and said: oh' }, 'deny'],
  ['a signal', 'kill -SEGV $$', { failed: 'it was ended by SIGSEGV' }, 'deny'],
  ['no JSON', 'echo yes', { failed: 'its answer is not one JSON object' }, 'deny'],
  ['a list', 'echo \'["allow"]\'', { failed: 'its answer is not one JSON object' }, 'deny'],
  [
    'two objects',
    'echo \'{"decision":"allow"}{"decision":"deny"}\'',
    { failed: 'its answer is not one JSON object' },
    'deny',
  ],
  ['two decisions', 'echo \'{"decision":"deny","decision":"allow"}\'', { failed: 'it gives two decisions' }, 'deny'],
  ['another decision', 'echo \'{"decision":"maybe"}\'', { failed: 'its decision is not allow, ask or deny' }, 'deny'],
  ['no decision', 'echo \'{"reason":"x"}\'', { failed: 'its decision is not allow, ask or deny' }, 'deny'],
  ['a reason that is none', 'echo \'{"decision":"allow","reason":1}\'', { failed: 'its reason is not text' }, 'deny'],
  ['no text', "printf '\\377'", { failed: 'its answer is not text' }, 'deny'],
  ['a flood', 'yes', { failed: 'it wrote more than 64 KB' }, 'deny'],
  ['a flood of errors', 'yes >&2', { failed: 'it wrote more than 64 KB' }, 'deny'],
])('%s', async (_what, script, run, kind) => {
  const made = openTestHooks(programs.held);
  made.settings = [made.script('says', script)];
  const judged = await judge(made);
  expect([judged.runs, judged.verdict.kind]).toEqual([
    [{ name: 'says', when: 'before', ms: expect.any(Number), ...run }],
    kind,
  ]);
  made.settings = [made.script('says', script, { on_failure: 'ignore' })];
  expect((await judge(made)).verdict.kind).toBe('failed' in run ? 'nothing' : kind);
});

it('what hangs, reads nothing, or forks is ended with all that it began', async () => {
  const made = openTestHooks(programs.held);
  made.settings = [
    made.script('hangs', 'trap "" TERM INT HUP; (sleep 1000 & sleep 1000) & exec 0<&-; sleep 1000', {
      timeout_seconds: 0.2,
    }),
    made.script('leaves', 'sleep 1000 >/dev/null 2>&1 & setsid sleep 1000 & echo'),
  ];
  const { runs } = await judge(made);
  expect(runs).toMatchObject([{ failed: 'it took longer than 0.2 s' }, { decision: 'allow' }]);
  expect(programs.runner.log).toEqual([]);
});

it('reads the folder and writes nothing there, and has no network', async () => {
  const made = openTestHooks(programs.held);
  const folder = workspace();
  writeFileSync(join(folder, 'seen.txt'), 'seen');
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  let came = 0;
  server.on('connection', () => (came += 1));
  made.settings = [
    made.script(
      'tries',
      [
        'seen=$(cat "$GATEHOUSE_WORKSPACE/seen.txt")',
        '(echo x > "$GATEHOUSE_WORKSPACE/new.txt") 2>/dev/null && w=yes || w=no',
        '(echo x >> tries.sh) 2>/dev/null && o=yes || o=no',
        `(bash -c 'exec 9<>/dev/tcp/127.0.0.1/${port}') 2>/dev/null && n=yes || n=no`,
        `[ -e "${made.dataDir}/accepted-hook-files" ] && d=yes || d=no`,
        'printf \'{"decision":"ask","reason":"%s %s %s %s %s"}\' "$seen" $w $o $n $d',
      ].join('\n'),
    ),
  ];
  writeFileSync(join(made.dataDir, 'accepted-hook-files'), '');
  const { runs } = await judge(made, folder);
  expect(runs).toMatchObject([{ decision: 'ask', reason: 'seen no no no no' }]);
  expect([existsSync(join(folder, 'new.txt')), came]).toEqual([false, 0]);
});

it('one that can’t be started, or can’t be confined, has failed', async () => {
  const made = openTestHooks(programs.held);
  made.settings = [{ name: 'gone', when: 'before', command: ['no-such-program-here'] }];
  expect((await judge(made)).runs).toMatchObject([{ failed: expect.stringContaining('it could not be started') }]);
  const bare = await openTestPrograms(undefined, { bubblewraps: [] });
  onTestFinished(async () => bare[Symbol.asyncDispose]());
  const unheld = openTestHooks(bare.held);
  unheld.settings = [unheld.script('says', 'echo \'{"decision":"allow"}\'')];
  const { runs, verdict } = await judge(unheld);
  expect([runs, verdict.kind]).toMatchObject([
    [{ failed: expect.stringContaining('it could not be started') }],
    'deny',
  ]);
});

it('is confined also where commands are not', async () => {
  const made = openTestHooks(programs.held);
  const outside = workspace();
  made.settings = [made.script('writes', `(echo x > ${outside}/x) 2>/dev/null; true`)];
  const { runs } = await made.hooks.judge(call, { folder: '', config: configWith({ confinement: 'off' }) }, never);
  expect([runs, existsSync(join(outside, 'x'))]).toMatchObject([[{ decision: 'allow' }], false]);
});

it('the strictest word stands, of those for this tool alone', async () => {
  const made = openTestHooks(programs.held);
  const says = (name: string, decision: string, more = {}) =>
    made.script(name, `echo '{"decision":"${decision}","reason":"${name}"}'`, more);
  made.settings = [
    says('one', 'allow'),
    says('two', 'ask'),
    says('three', 'deny', { tools: ['read_file'] }),
    says('four', 'ask', { tools: ['write_file'] }),
    says('five', 'deny', { when: 'after' }),
  ];
  const { runs, verdict } = await judge(made);
  expect(runs.map(({ name }) => name)).toEqual(['one', 'two', 'four']);
  expect(verdict).toEqual({
    kind: 'ask',
    rule: { layer: 'policy', id: 'hook:two' },
    words: 'The hook “two” asks you to decide: two',
  });
  expect(made.hooks.identifyJudges({ name: 'other', id: 'x.other', version: null })).not.toBe(
    made.hooks.identifyJudges(call.tool),
  );
});

it('settings that can’t be used judge nobody’s calls unjudged', async () => {
  const made = openTestHooks(programs.held);
  const refused = { name: 'typo', tools: ['*'], file: 'config.toml', line: 3, reason: 'tols is not known.' } as const;
  made.refused = [{ ...refused, when: 'before', onFailure: 'deny' }];
  expect((await judge(made)).verdict).toMatchObject({ kind: 'deny', failure: { rule: { id: 'hook:typo' } } });
  made.refused = [{ ...refused, when: null, onFailure: 'ignore' }];
  expect((await judge(made)).verdict.kind).toBe('nothing');
  made.refused = [{ ...refused, when: 'after', onFailure: 'deny' }];
  expect(made.hooks.identifyJudges(call.tool)).toBeNull();
});

it('no more than sixteen run side by side, and all get their turn', async () => {
  let now = 0;
  let most = 0;
  const made = openTestHooks(async (request) => {
    now += 1;
    most = Math.max(most, now);
    const program = await programs.held(request);
    void program.ended.then(() => (now -= 1));
    return program;
  });
  made.settings = [made.script('says', 'cat >/dev/null')];
  const all = await Promise.all(Array.from({ length: 20 }, async () => judge(made)));
  expect(all.map(({ runs }) => runs)).toEqual(all.map(() => [expect.objectContaining({ decision: 'allow' })]));
  expect([most <= MAX_AT_ONCE, most > 1, now]).toEqual([true, true, 0]);
});

it('what nobody waits for any more is ended', async () => {
  const made = openTestHooks(programs.held);
  const stop = new AbortController();
  made.settings = [made.script('hangs', 'sleep 1000')];
  const judging = judge(made, '', stop.signal);
  stop.abort();
  expect((await judging).runs).toMatchObject([{ failed: 'it was stopped before it was done' }]);
});

it.each([
  ['a text that sources it', (file: string) => ['sh', '-c', `. ${file}`]],
  [
    'a file of the person’s that sources it',
    (file: string, own: string) => {
      writeFileSync(own, `. ${file}\n`);
      return ['sh', own];
    },
  ],
  ['a variable that names its place', (file: string) => ['env', `LIB=${file}`, 'sh', '-c', '. "$LIB"']],
] satisfies [string, (file: string, own: string) => string[]][])(
  'what tools may change of it, and nothing pins, asks until the person says yes: %s',
  async (_what, words) => {
    const made = openTestHooks(programs.held);
    const folder = workspace();
    const rules = join(folder, 'rules.sh');
    writeFileSync(rules, DENIES);
    made.openFolders = [folder];
    const hook: HookSettings = {
      name: 'ours',
      when: 'before',
      command: [...words(rules, join(made.folder, 'own.sh'))],
      timeout_seconds: 60,
    };
    made.settings = [hook];
    made.hooks.acceptFiles();
    const { runs, verdict } = await judge(made, folder);
    expect([runs, verdict]).toMatchObject([
      [{ failed: expect.stringContaining(rules), ms: 0 }],
      { kind: 'ask', words: expect.stringContaining('under Settings'), rule: { id: 'hook:ours' } },
    ]);
    const shown = made.hooks.inspectCommand(hook);
    expect(shown.notPinned).toContainEqual({ words: expect.stringContaining(rules), byTools: true });
    expect(shown.asks).not.toBeNull();
    const before = made.hooks.identifyJudges(call.tool);
    made.accepted.acceptUnpinned('ours', hook.command, shown.asks ?? '');
    expect(made.hooks.identifyJudges(call.tool), 'another judge').not.toBe(before);
    expect((await judge(made, folder)).verdict.kind).toBe('deny');
    // The yes was to these reasons alone, and goes with these words.
    made.hooks.acceptFiles();
    expect(made.hooks.inspectCommand(hook).asks).toBeNull();
    expect(
      made.hooks.inspectCommand({ ...hook, command: [...hook.command, join(folder, 'other')] }).asks,
    ).not.toBeNull();
  },
);

it('is tried with a call that is over, and shows what it was given and said', async () => {
  const made = openTestHooks(programs.held);
  made.settings = [made.script('told', 'cat >/dev/null; echo done >&2', { when: 'after' })];
  const result = { outcome: 'error', code: 'ExecutionFailed', durationMs: 12 } as const;
  const tried = await made.hooks.try('told', call, result, place());
  expect(tried).toEqual({
    run: { name: 'told', when: 'after', ms: expect.any(Number), decision: 'allow', reason: null },
    given: expect.stringContaining('"result":{"outcome":"error","code":"ExecutionFailed","durationMs":12}'),
    said: 'done',
  });
  expect(await made.hooks.try('none', call, result, place())).toBeNull();
});
