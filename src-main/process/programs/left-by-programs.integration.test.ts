import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTestPrograms, type TestPrograms, UNCONFINED } from './programs.test-support.js';

const never = new AbortController().signal;
const sh = (script: string): [string, ...string[]] => ['sh', '-c', script];
const STEERING = ['.envrc', '.mcp.json', '.vscode/tasks.json', '.claude/settings.json', '.gatehouse/config.toml'];
const LEAVES = STEERING.map((path) => `mkdir -p "$(dirname ${path})"; echo x >${path}`).join('; ');

const writing = ({ runner }: TestPrograms) =>
  ({
    workingDirectory: runner.workspace,
    folder: { path: runner.workspace, access: 'write' },
  }) as const;

describe('what a program may not leave in a folder that it may write to', () => {
  it.each([
    ['confined', {}],
    ['unconfined', { process: UNCONFINED }],
  ] as const)('is put aside as its call ends, and told: %s', async (_, held) => {
    await using programs = await openTestPrograms();
    const { workspace, watch, aside } = programs.runner;
    const { done, left } = await watch.guardCall('call-1', workspace, never, () =>
      programs.run(sh(`${LEAVES}; echo work >result.txt`), { ...writing(programs), ...held }),
    );
    expect(done.status).toBe('fulfilled');
    expect(left.lookComplete).toBe(true);
    expect(left.putAside.map(({ path }) => path).toSorted()).toEqual(STEERING.toSorted());
    for (const path of STEERING) expect(existsSync(join(workspace, path)), path).toBe(false);
    expect(readFileSync(join(workspace, 'result.txt'), 'utf8')).toBe('work\n');
    // What stays is told, so that what it says is known to be others' by whoever reads it.
    expect(left.changedFiles).toMatchObject([{ path: 'result.txt', change: 'created', undoable: false }]);
    expect(left.changesComplete).toBe(true);
    expect((await aside.listQuarantined('call-1')).map(({ path }) => path).toSorted()).toEqual(STEERING.toSorted());
  });

  it('is put aside where its call failed, too', async () => {
    await using programs = await openTestPrograms();
    const { workspace, watch } = programs.runner;
    const { done, left } = await watch.guardCall('call-1', workspace, never, async () => {
      await programs.run(sh('echo x >.envrc'), writing(programs));
      throw new Error('it failed');
    });
    expect(done.status).toBe('rejected');
    expect(left.putAside).toMatchObject([{ path: '.envrc', change: 'created' }]);
  });

  it('is looked at before the next command and the next call where it lives on, and once it has ended', async () => {
    await using programs = await openTestPrograms();
    const { workspace, watch } = programs.runner;
    const run = (command: string) => programs.runner.run(command);
    const server = await programs.start(sh('while read path; do echo x >"$path"; echo done; done'), writing(programs));
    const answers = server.stdout[Symbol.asyncIterator]();
    const leaves = async (path: string): Promise<void> => {
      await server.write(`${path}\n`);
      await answers.next();
    };
    await leaves('.envrc');
    const command = await run('ls -A; echo own >made.txt');
    expect(command.putAside).toMatchObject([{ path: '.envrc' }]);
    expect(command.stdout).not.toContain('.envrc');
    await leaves('.mcp.json');
    const { left } = await watch.guardCall('call-9', workspace, never, () => leaves('other.txt'));
    expect(left.putAside).toMatchObject([{ path: '.mcp.json' }]);
    await leaves('.envrc');
    server.endInput();
    await server.ended;
    expect(existsSync(join(workspace, '.envrc'))).toBe(false);
    expect(existsSync(join(workspace, 'other.txt')) && existsSync(join(workspace, 'made.txt'))).toBe(true);
    expect(programs.runner.log.join('\n')).toContain('.envrc');
    // What the person puts there afterwards is theirs.
    writeFileSync(join(workspace, '.envrc'), 'mine\n');
    expect((await run('ls')).putAside).toEqual([]);
    expect(readFileSync(join(workspace, '.envrc'), 'utf8')).toBe('mine\n');
  });
});
