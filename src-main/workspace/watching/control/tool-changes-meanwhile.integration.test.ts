import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestRunner, type TestRunner } from '../../../process/process.test-support.js';

let runner: TestRunner;
const at = (path: string) => join(runner.workspace, path);

beforeEach(async () => void (runner = await openTestRunner()));
afterEach(() => runner[Symbol.asyncDispose]());

async function begun(): Promise<void> {
  while (runner.started() < 1) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe.each(['required', 'off'] as const)(
  'what a file tool wrote while a command ran, confinement %s',
  (confinement) => {
    async function meanwhile(command: string, before: string | null, tool: string | null) {
      const ran = runner.run(`until [ -e go ]; do sleep 0.05; done; ${command}`, { settings: { confinement } });
      await begun();
      await runner.bench.change('tool', { '.envrc': [before, tool] });
      writeFileSync(at('go'), '');
      return (await ran).putAside.map(({ path, change }) => `${change} ${path}`);
    }

    it('stays, and what the command made of it is quarantined', async () => {
      expect(await meanwhile('echo evil > .envrc', null, 'harmless\n')).toEqual(['created .envrc']);
      expect(readFileSync(at('.envrc'), 'utf8')).toBe('harmless\n');
      expect(statSync(at('.envrc')).mode & 0o7777).toBe(0o644);
      const view = await runner.aside.view('call-1', runner.bench.jail);
      expect(view?.files).toMatchObject([{ path: '.envrc', before: 'harmless\n', after: 'evil\n' }]);
      // And it is what is right from then on.
      expect((await runner.run('true', { settings: { confinement } })).putAside).toEqual([]);
      expect(readFileSync(at('.envrc'), 'utf8')).toBe('harmless\n');
    });

    it('stays where the command did not touch it', async () => {
      expect(await meanwhile('true', null, 'harmless\n')).toEqual([]);
      expect(readFileSync(at('.envrc'), 'utf8')).toBe('harmless\n');
    });

    it('is no program because the command made it one', async () => {
      expect(await meanwhile('chmod +x .envrc', null, 'harmless\n')).toEqual(['created .envrc']);
      expect(statSync(at('.envrc')).mode & 0o7777).toBe(0o644);
      expect(readFileSync(at('.envrc'), 'utf8')).toBe('harmless\n');
    });

    it('comes back where the command took it away', async () => {
      writeFileSync(at('.envrc'), 'mine\n');
      await meanwhile('rm -f .envrc; true', 'mine\n', 'harmless\n');
      expect(readFileSync(at('.envrc'), 'utf8')).toBe('harmless\n');
    });
  },
);

it('what a tool removed and a command made again goes', async () => {
  writeFileSync(at('.envrc'), 'mine\n');
  const ran = runner.run('until [ -e go ]; do sleep 0.05; done; echo evil > .envrc', {
    settings: { confinement: 'off' },
  });
  await begun();
  await runner.bench.change('tool', { '.envrc': ['mine\n', null] });
  writeFileSync(at('go'), '');
  expect((await ran).putAside).toMatchObject([{ path: '.envrc' }]);
  expect(existsSync(at('.envrc'))).toBe(false);
});

it('what a tool took back itself is not what stands: what was there before the command is', async () => {
  writeFileSync(at('.envrc'), 'mine\n');
  const ran = runner.run('until [ -e go ]; do sleep 0.05; done; echo tools > .envrc', {
    settings: { confinement: 'off' },
  });
  await begun();
  const transaction = await runner.bench.begin('tool', { '.envrc': ['mine\n', 'tools\n'] });
  await transaction.commit();
  await transaction.rollback();
  writeFileSync(at('go'), '');
  expect((await ran).putAside).toEqual([{ path: '.envrc', change: 'modified' }]);
  expect(readFileSync(at('.envrc'), 'utf8')).toBe('mine\n');
});

describe.each(['required', 'off'] as const)('a name that is no text, confinement %s', (confinement) => {
  it('is quarantined by its bytes, and nothing that is called as it is shown', async () => {
    mkdirSync(at('.claude/commands'), { recursive: true });
    writeFileSync(at('.claude/commands/\ufffd.md'), 'mine\n');
    const commands = confinement === 'off' ? ['.claude/commands/\ufffd.md'] : [];
    const left = await runner.run(
      'mkdir -p .cursor/rules "$(printf "d\\377/.vscode")"; printf e > ".cursor/rules/$(printf "x\\377").mdc"; ' +
        'printf e > ".claude/commands/$(printf "\\351").md"; printf e > ".cursor/rules/ok.mdc"; ' +
        'printf e > "$(printf "d\\377/.vscode/tasks.json")"; ln -s y ".cursor/$(printf "l\\200")"; true',
      { settings: { confinement } },
    );
    expect(left.putAside.map(({ path }) => path)).toEqual([
      // Confined it could not be made: that folder was there before.
      ...commands,
      '.cursor/l\ufffd',
      '.cursor/rules/ok.mdc',
      '.cursor/rules/x\ufffd.mdc',
      'd\ufffd/.vscode/tasks.json',
    ]);
    expect(existsSync(at('.cursor'))).toBe(false);
    expect(readdirSync(at('.claude/commands'))).toEqual(['\ufffd.md']);
    expect(readFileSync(at('.claude/commands/\ufffd.md'), 'utf8')).toBe('mine\n');
    const found = execFileSync('find', ['.', '-name', 'tasks.json'], { cwd: runner.workspace, encoding: 'utf8' });
    expect(found).toBe('');
    expect(left.lookComplete).toBe(true);
    expect(runner.watch.isInDoubt(runner.workspace)).toBe(false);
    const next = await runner.run('true', { settings: { confinement } });
    expect(next).toMatchObject({ putAside: [], lookComplete: true });
  });

  it('comes back as it was where a command changed it', async () => {
    execFileSync('sh', ['-c', 'mkdir .cursor; printf mine > "$(printf ".cursor/x\\377")"'], { cwd: runner.workspace });
    const left = await runner.run('chmod -R u+w .cursor; printf e > "$(printf ".cursor/x\\377")"; true', {
      settings: { confinement },
    });
    expect(left.putAside.length).toBeLessThanOrEqual(1);
    const now = execFileSync('sh', ['-c', 'cat .cursor/*'], { cwd: runner.workspace, encoding: 'utf8' });
    expect(now).toBe('mine');
    expect(left.lookComplete).toBe(true);
  });
});

it('what can’t be taken away is not told as quarantined, and the folder is in doubt until it is', async () => {
  runner.bench.step = (step, subject) => {
    if (step === 'remove' && subject === '.envrc') throw Object.assign(new Error('no'), { code: 'EPERM' });
  };
  const left = await runner.run('echo evil > .envrc; echo evil > .bashrc', { settings: { confinement: 'off' } });
  expect(left.putAside).toEqual([{ path: '.bashrc', change: 'created' }]);
  expect(left.lookComplete).toBe(false);
  expect(runner.watch.isInDoubt(runner.workspace)).toBe(true);
  expect((await runner.aside.listQuarantined('call-1')).map(({ path }) => path)).toEqual(['.bashrc']);
  expect(existsSync(at('.envrc'))).toBe(true);
  const next = await runner.run('true', { settings: { confinement: 'off' } });
  expect(next.lookComplete).toBe(false);
  runner.bench.step = () => undefined;
  const last = await runner.run('true', { settings: { confinement: 'off' } });
  expect(last.putAside).toEqual([{ path: '.envrc', change: 'created' }]);
  expect(runner.watch.isInDoubt(runner.workspace)).toBe(false);
  expect(existsSync(at('.envrc'))).toBe(false);
});

describe.each(['required', 'off'] as const)('what a sheet named for one command, confinement %s', (confinement) => {
  const settings = { confinement };
  /** Whether the other is there while it runs: it waits for it, but not for ever. */
  const beside = (mark: string): string =>
    `for i in $(seq 40); do [ -e ${mark} ] && break; sleep 0.05; done; [ -e ${mark} ] && echo beside; true`;

  it('is no leave for another that comes while it runs', async () => {
    const named = runner.run(`echo approved > .envrc; ${beside('other')}`, {
      settings,
      mayLeave: { named: ['.envrc'] },
    });
    await begun();
    const other = await runner.run('echo x > other; echo evil > .envrc', { settings });
    expect((await named).stdout).toBe('');
    expect(readFileSync(at('.envrc'), 'utf8')).toBe('approved\n');
    // Confined it could not even be written: it was there before.
    expect(other.putAside).toEqual(confinement === 'off' ? [{ path: '.envrc', change: 'modified' }] : []);
  });

  it('is no leave for another that ran before and still does; who comes later waits behind it', async () => {
    const other = runner.run(`${beside('named')}; echo evil > .envrc`, { settings });
    await begun();
    const named = runner.run('[ -e later ] || echo x > named', { settings, mayLeave: { named: ['.envrc'] } });
    const later = await runner.run('echo x > later', { settings });
    expect(await other).toMatchObject({ stdout: '', putAside: [{ path: '.envrc', change: 'created' }] });
    expect(await named).toMatchObject({ ending: { kind: 'exited', code: 0 }, putAside: [] });
    expect(later.putAside).toEqual([]);
    expect([existsSync(at('.envrc')), existsSync(at('named'))]).toEqual([false, true]);
  });

  it('keeps nobody waiting once it is taken back', async () => {
    const first = runner.run('until [ -e go ]; do sleep 0.05; done', { settings });
    await begun();
    const stop = new AbortController();
    const named = runner.run('echo x > named', { settings, mayLeave: { named: ['.envrc'] }, signal: stop.signal });
    const later = runner.run('echo x > go', { settings });
    stop.abort();
    expect((await named).ending).toEqual({ kind: 'stopped' });
    expect((await later).ending).toEqual({ kind: 'exited', code: 0 });
    expect((await first).ending).toEqual({ kind: 'exited', code: 0 });
    expect(existsSync(at('named'))).toBe(false);
  });
});
