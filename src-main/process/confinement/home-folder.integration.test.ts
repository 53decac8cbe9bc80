import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openTestRunner, type RunOptions, type TestRunner } from '../process.test-support.js';
import { buildHomeView } from './home-folder.js';
import { plantedPlaces } from './planted-places.test-support.js';

const required = { confinement: 'required' } as const;

interface Home {
  readonly runner: TestRunner;
  readonly home: string;
  /** A workspace in it, as most are. */
  readonly workspace: string;
  readonly put: (path: string, text: string, mode?: number) => void;
  readonly run: (command: string, settings?: RunOptions['settings']) => Promise<string>;
}

async function openHome(path = process.env['PATH'] ?? ''): Promise<Home & AsyncDisposable> {
  const environment: Record<string, string> = { PATH: path, LANG: 'C.UTF-8' };
  const runner = await openTestRunner(environment);
  const home = runner.outside;
  environment['HOME'] = home;
  const workspace = join(home, 'src/ws');
  mkdirSync(workspace, { recursive: true });
  return {
    runner,
    home,
    workspace,
    put: (name, text, mode = 0o644) => {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), text, { mode });
    },
    run: async (command, settings = {}) => {
      const options = { settings: { ...required, ...settings }, workingDirectory: workspace };
      const { stdout, stderr } = await runner.run(command, options);
      return stdout + stderr;
    },
    [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose](),
  };
}

describe('the home folder of a confined command', () => {
  it('holds nothing of a person’s own, wherever programs keep it', async () => {
    await using at = await openHome();
    expect(plantedPlaces.length).toBeGreaterThanOrEqual(76);
    for (const place of plantedPlaces) at.put(place, `planted ${place}\n`, 0o600);
    at.put('notes.txt', 'planted notes\n');
    at.put('src/other/plan.md', 'planted plan\n');
    const all = [...plantedPlaces, 'notes.txt', 'src/other/plan.md'].map((place) => `"$HOME/${place}"`).join(' ');
    const said = await at.run(`cat ${all} 2>/dev/null; grep -rs planted "$HOME" ; ls -1A ~ ~/src`);
    expect(said).not.toContain('planted');
    expect(said.split('\n').filter((line) => line !== '')).toEqual([`${at.home}:`, 'src', `${at.home}/src:`, 'ws']);
  });

  it('can’t be written to, and the workspace in it can', async () => {
    await using at = await openHome();
    at.put('.gitconfig', '[user]\n\tname = n\n');
    const said = await at.run(
      'for f in ~/new ~/.bashrc ~/.config/x ~/src/beside ~/.gitconfig; do (echo x >$f) 2>/dev/null && echo wrote $f; done; chmod 777 ~ 2>/dev/null; mkdir ~/d 2>/dev/null && echo made; echo y >mine && cat mine',
    );
    expect(said).toBe('y\n');
    expect(readFileSync(join(at.home, '.gitconfig'), 'utf8')).toContain('name = n');
    expect(existsSync(join(at.home, 'new'))).toBe(false);
    expect(readFileSync(join(at.workspace, 'mine'), 'utf8')).toBe('y\n');
  });

  it('shows tools where they are kept, programs on the way too, and the settings of Git; keys beside them stay covered', async () => {
    await using at = await openHome();
    at.put('.cargo/bin/mytool', '#!/bin/sh\necho cargo tool\n', 0o755);
    at.put('.cargo/registry/index', 'fetched\n');
    at.put('.cargo/credentials.toml', 'planted\n');
    at.put('.nvm/versions/node/v1/bin/mynode', '#!/bin/sh\necho my node\n', 0o755);
    at.put('.gitconfig', '[user]\n\tname = Somebody\n');
    at.put('.config/git/ignore', '*.ignored\n');
    at.put('.config/git/credentials', 'planted\n');
    at.put('.npmrc', 'planted\n');
    at.put('odd/place/own', '#!/bin/sh\necho own\n', 0o755);
    at.put('odd/secret', 'planted\n');
    const own = `${at.home}/odd/place`;
    const options = { settings: required, workingDirectory: at.workspace };
    const runner = await openTestRunner({ PATH: `${at.home}/.cargo/bin:${own}:${process.env['PATH']}`, HOME: at.home });
    onTestFinished(() => runner[Symbol.asyncDispose]());
    const { stdout } = await runner.run(
      'mytool; own; ~/.nvm/versions/node/v1/bin/mynode; cat ~/.cargo/registry/index; git config --global user.name; git init -q; touch a.ignored; git status --porcelain --ignored; cat ~/.cargo/credentials.toml ~/.config/git/credentials ~/.npmrc ~/odd/secret 2>/dev/null; ls -1A ~ ~/.cargo ~/.config/git',
      options,
    );
    expect(stdout).not.toContain('planted');
    const lines = stdout.split('\n');
    expect(lines.slice(0, 6)).toEqual(['cargo tool', 'own', 'my node', 'fetched', 'Somebody', '!! a.ignored']);
    expect(lines.slice(6).filter((line) => line !== '' && !line.endsWith(':'))).toEqual([
      '.cargo',
      '.config',
      '.gitconfig',
      '.nvm',
      'odd',
      'src',
      'bin',
      'registry',
      'ignore',
    ]);
  });

  it('is followed through links: to tools elsewhere in it or outside, never to what is not shown', async () => {
    await using at = await openHome();
    at.put('dotfiles/gitconfig', '[user]\n\tname = Linked\n');
    at.put('dotfiles/secret', 'planted\n');
    at.put('disk/tools/bin/far', '#!/bin/sh\necho far\n', 0o755);
    at.put('.ssh/id_rsa', 'planted\n');
    symlinkSync('dotfiles/gitconfig', join(at.home, '.gitconfig'));
    symlinkSync(join(at.home, 'disk/tools'), join(at.home, '.cargo'));
    symlinkSync('.loop', join(at.home, '.loop'));
    symlinkSync('.loop', join(at.home, '.nvm'));
    symlinkSync(join(at.home, '.ssh'), join(at.home, '.pyenv'));
    const said = await at.run(
      'git config --global user.name; ~/.cargo/bin/far; cat ~/dotfiles/secret ~/.ssh/id_rsa ~/.pyenv/id_rsa 2>/dev/null; ls -A ~/dotfiles',
    );
    expect(said).toBe('Linked\nfar\ngitconfig\n');
  });

  it('shows what the person adds, from there or as a path; the whole of it too, with what is known to be secret covered', async () => {
    await using at = await openHome();
    at.put('.config/mytool/settings', 'shown\n');
    at.put('data/set', 'shown too\n');
    at.put('.ssh/id_rsa', 'planted\n');
    const look = 'cat ~/.config/mytool/settings ~/data/set ~/.ssh/id_rsa 2>/dev/null; true';
    expect(await at.run(look)).toBe('');
    const list = ['~/.config/mytool', join(at.home, 'data'), '../../../etc', 'nothing/there'];
    expect(await at.run(look, { home_allowlist: list })).toBe('shown\nshown too\n');
    expect(await at.run(look, { home_allowlist: ['.'] })).toBe('shown\nshown too\n');
    expect(await at.run('(echo x >~/data/set) 2>/dev/null; cat ~/data/set', { home_allowlist: ['~'] })).toBe(
      'shown too\n',
    );
  });

  it('has neither the sockets nor the pipes that come while a command runs', async () => {
    await using at = await openHome();
    const abort = new AbortController();
    const command = `touch began; until [ -e go ]; do sleep 0.02; done
      perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un("$ENV{HOME}/agent.sock")) or die "refused\\n"; print "ESCAPED\\n"' 2>&1
      [ -p ~/pipe ] && echo ESCAPED; (echo x <>~/pipe) 2>/dev/null && echo ESCAPED; true`;
    const running = at.runner.run(command, {
      settings: required,
      workingDirectory: at.workspace,
      signal: abort.signal,
    });
    await expect.poll(() => existsSync(join(at.workspace, 'began')), { timeout: 20_000 }).toBe(true);
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(join(at.home, 'agent.sock'), resolve));
    onTestFinished(() => void server.close());
    execFileSync('mkfifo', [join(at.home, 'pipe')]);
    writeFileSync(join(at.workspace, 'go'), '');
    const { stdout } = await running;
    expect(stdout).toBe('refused\n');
  });

  it('is the workspace where a person works in it: then what is known to be secret is covered there', async () => {
    await using at = await openHome();
    at.put('.ssh/id_rsa', 'planted\n');
    at.put('notes.txt', 'mine\n');
    const { stdout } = await at.runner.run('cat notes.txt .ssh/id_rsa 2>/dev/null; echo x >made; cat made', {
      settings: required,
      workingDirectory: at.home,
    });
    expect(stdout).toBe('mine\nx\n');
  });
});

it('a home folder among the system’s programs, as its own users have, is not covered', () => {
  const request = { workspace: '/srv/ws', allowlist: [], path: '/usr/bin:/bin' };
  for (const home of ['/usr/sbin', '/bin', '/etc', '/', '/nonexistent']) {
    const { covered } = buildHomeView({ onlySeen: null, ...request, homes: [home] });
    expect(
      covered.filter((path) => !['/home', '/root'].includes(path)),
      home,
    ).toEqual([]);
  }
});

it('the private folder of other commands’ pipes is covered wherever the temporary files are', async () => {
  await using at = await openHome();
  const temporary = mkdtempSync(join(at.home, '.cargo-'));
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
  const before = { TMPDIR: process.env['TMPDIR'], XDG_RUNTIME_DIR: process.env['XDG_RUNTIME_DIR'] };
  Object.assign(process.env, { TMPDIR: temporary, XDG_RUNTIME_DIR: '' });
  try {
    await using runner = await openTestRunner({ PATH: process.env['PATH'] ?? '', HOME: at.home });
    const { stdout } = await runner.run(`ls -A ${temporary}; ls -A ${temporary}/* | head`, {
      settings: { ...required, home_allowlist: ['.'] },
      workingDirectory: at.workspace,
    });
    expect(stdout).toMatch(/^gatehouse-run-[^\n]*\n$/u);
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});
