import { describe, expect, it } from 'vitest';
import type { PlaceColumns } from './sensitive-place.js';
import {
  beginsQuarantinedPlace,
  deniedGlobs,
  hiddenInHome,
  isControlFile,
  isMarked,
  isQuarantined,
  isReadOnlyForCommands,
  findPlaces,
  secretColumn,
  SENSITIVE_PLACES,
  explainSteering,
} from './sensitive-places.js';
import { findUnknownDot } from './unknown-dot-files.js';

const COLUMNS = {
  deniedToTools: null,
  hiddenFromCommands: null,
  readOnlyForCommands: null,
  putAside: null,
  alwaysAsks: null,
  marked: null,
  secret: null,
} satisfies Record<keyof PlaceColumns, null>;

describe('the table of sensitive places', () => {
  it('has every cell decided', () => {
    for (const { at, what, columns } of SENSITIVE_PLACES) {
      expect(at.length, what).toBeGreaterThan(0);
      expect(what, at[0]).toMatch(/^\S.*[^.]$/u);
      expect(Object.keys(columns).toSorted(), at[0]).toEqual(Object.keys(COLUMNS).toSorted());
      expect(Object.values(columns), at[0]).not.toContain(undefined);
    }
  });

  it('names no place twice for one reader', () => {
    for (const column of ['putAside', 'readOnlyForCommands', 'alwaysAsks'] as const) {
      const all = SENSITIVE_PLACES.filter(({ columns }) => columns[column]).flatMap(({ at }) => at);
      expect(
        all.filter((each, index) => all.indexOf(each) !== index),
        column,
      ).toEqual([]);
    }
  });

  it('says of what is put aside that it asks and is marked, and so whoever wants to leave it can be let', () => {
    for (const { at, columns } of SENSITIVE_PLACES.filter((place) => place.columns.putAside)) {
      expect(columns, at[0]).toMatchObject({ alwaysAsks: true, marked: true });
    }
  });

  it('says of what is denied to tools that it is secret, and of what is a secret anywhere that it is marked', () => {
    for (const { at, below, columns } of SENSITIVE_PLACES) {
      if (columns.deniedToTools) expect(columns.secret, at[0]).toBe('yes');
      if (columns.secret === 'yes' && below === 'anywhere') expect(columns.marked, at[0]).toBe(true);
    }
  });

  it('gives each reader what stands in its column', () => {
    const sample = (run: string): string => run.replaceAll('*', 'x');
    for (const { at, below, columns } of SENSITIVE_PLACES) {
      for (const run of at) {
        const path = sample(run);
        const inside = { isHome: below === 'home' };
        expect(findPlaces(path, inside).length, run).toBeGreaterThan(0);
        if (below === 'anywhere') {
          for (const where of [path, `deep/er/${path}`, `${path}/x`, path.toUpperCase()]) {
            if (columns.alwaysAsks) expect(isControlFile(where), where).toBe(true);
            if (columns.putAside) expect(isQuarantined(where), where).toBe(true);
            if (columns.readOnlyForCommands) expect(isReadOnlyForCommands(where), where).toBe(true);
            if (columns.marked) expect(isMarked(where), where).toBe(true);
            if (columns.secret === 'yes') expect(secretColumn(where), where).toBe('yes');
          }
        }
        if (columns.deniedToTools) expect(deniedGlobs()).toContain(`**/${run}`);
        if (columns.hiddenFromCommands) expect(hiddenInHome()).toContain(run);
        if (columns.putAside) expect(explainSteering(path), path).not.toBeNull();
      }
    }
  });
});

describe('control files', () => {
  it.each([
    '.git/hooks/pre-commit',
    '.git/config',
    '.git',
    'sub/.git/config',
    '.GIT/hooks/x',
    '.g\u200cit/config',
    '.git./config',
    '.gatehouse/config.toml',
    '.vscode/tasks.json',
    '.mcp.json',
    '.envrc',
    'home/.bashrc',
    '.zshrc',
    '.github/workflows/ci.yml',
    '.GitHub/Workflows/ci.yml',
    '.husky/pre-push',
    '.npmrc',
    // L5
    '.gemini/settings.json',
    '.codex/config.toml',
    '.kiro/hooks/x',
    '.roo/mcp.json',
    '.amazonq/mcp.json',
    '.windsurf/rules',
    'opencode.json',
    '.aider.conf.yml',
    'CLAUDE.md',
    'pkg/AGENTS.md',
    'agents.MD',
    '.cursorrules',
    '.github/copilot-instructions.md',
    '.tmux.conf',
    '.config/kitty/kitty.conf',
    '.config/i3/config',
    '.config/sway/config',
    '.config/hypr/hyprland.conf',
    '.config/mpv/scripts/x.lua',
    '.bazelrc',
    'Jenkinsfile',
    // A7
    '.hg/hgrc',
    'sub/.jj/repo/config.toml',
    '.run/x.run.xml',
    '.vs/launch.vs.json',
    'AGENT.md',
    '.rules',
    '.lvimrc',
    '.ycm_extra_conf.py',
    '.bash_completion',
    '.config/plasma-workspace/env/x.sh',
    '.xmonad/xmonad.hs',
    '.psqlrc',
    '.ipython/profile_default/startup/x.py',
    '.nanorc',
    // Seen: a confined command left one, and the person's next `python -m pdb` ran it.
    '.pdbrc',
    '.ghci',
    '.iex.exs',
    '.erlang',
    '.octaverc',
    'sub/.Renviron',
    '.gdbearlyinit',
    '.mise.production.toml',
    'mise.local.toml',
    '.factory/droids/x.md',
    '.github/hooks/x.json',
    // a home folder
    '.config/systemd/user/x.service',
    '.config/autostart/x.desktop',
    '.config/environment.d/x.conf',
    '.bash_aliases',
    '.config/git/config',
    '.local/bin/git',
    '.ssh/authorized_keys',
  ])('%s makes other programs run something', (path) => {
    expect(isControlFile(path)).toBe(true);
  });

  it.each([
    '',
    'src/index.ts',
    'git/config',
    '.gitignore',
    'vscode/a',
    'workflows/ci.yml',
    'package.json',
    'Makefile',
    'conftest.py',
    'vite.config.ts',
    'build.rs',
    'CMakeLists.txt',
    'eslint.config.js',
    'Dockerfile',
    'README.md',
    '.env',
  ])('%s does not', (path) => {
    expect(isControlFile(path)).toBe(false);
  });

  it('knows the root’s own name', () => {
    expect(isControlFile('tasks.json', '.vscode')).toBe(true);
    expect(isControlFile('ci.yml', 'workflows')).toBe(false);
    expect(isControlFile('workflows/ci.yml', '.github')).toBe(true);
  });
});

describe('what a command leaves', () => {
  it.each(['.github/workflows/ci.yml', '.npmrc', '.gitattributes', 'Jenkinsfile', 'a/.yarnrc.yml'])(
    '%s is marked and stays',
    (path) => {
      expect([isMarked(path), isQuarantined(path), isControlFile(path)]).toEqual([true, false, true]);
    },
  );

  it('is nothing below what tools made, though an edit there asks', () => {
    for (const path of ['node_modules/x/.vscode/tasks.json', 'a/.venv/lib/sitecustomize.py']) {
      expect([isMarked(path), isQuarantined(path), isControlFile(path)]).toEqual([false, false, true]);
    }
    expect(isQuarantined('.vscode/node_modules')).toBe(true);
  });

  it('counts a link that begins such a place', () => {
    for (const path of ['.config', 'a/.config', '.local', '.local/share', '.github', '.CONFIG']) {
      expect(beginsQuarantinedPlace(path), path).toBe(true);
    }
    for (const path of ['config', '.config/x', 'src', '.yarn', '']) {
      expect(beginsQuarantinedPlace(path), path).toBe(false);
    }
  });
});

describe('secret files', () => {
  it.each([
    '.env',
    '.env.local',
    'a/.ENV.production',
    '.envrc',
    '.npmrc',
    '.pypirc',
    'credentials.json',
    'infra/terraform.tfstate',
    'secrets.yaml',
    '.kube/config',
    '.aws/credentials',
    'keys/id_ed25519',
    'server.pem',
    '.mozilla/firefox/p/logins.json',
  ])('%s asks', (path) => expect(secretColumn(path)).toBe('yes'));

  it.each(['.env.example', '.env.sample', 'a/.env.template'])('%s asks where something is found in it', (path) =>
    expect(secretColumn(path)).toBe('if-found'),
  );

  it.each(['src/secrets/index.ts', 'environment.ts', 'README.md', '.docker/Dockerfile', 'snap/snapcraft.yaml'])(
    '%s does not',
    (path) => expect(secretColumn(path)).toBe('no'),
  );

  it('knows more of a home folder', () => {
    expect(secretColumn('.docker/config.json', { isHome: true })).toBe('yes');
    expect(secretColumn('.aws/sso/cache/x', { isHome: true })).toBe('yes');
    expect(secretColumn('a/.aws/sso/cache/x', { isHome: true })).toBe('no');
  });
});

it('what agents, hooks and services obey below a folder that is harmless itself, or without a dot, is known', () => {
  const aside = [
    '.github/skills/a/SKILL.md',
    '.github/copilot/settings.json',
    '.github/mcp.json',
    '.gitlab/duo/mcp.json',
    'crush.json',
    'lefthook-local.toml',
    'lefthook.json',
    '.config/lefthook.yml',
  ];
  expect(aside.filter((path) => !isQuarantined(path))).toEqual([]);
  expect(['.cirrus.star', '.pnp.cjs', '.bundle/plugin/index'].filter((path) => !isControlFile(path))).toEqual([]);
  expect(isControlFile('.github/ISSUE_TEMPLATE/bug.md')).toBe(false);
  expect(['.tempagent/mcp.json', '.trashagent/x', '.tmpfoo/y'].filter((path) => findUnknownDot(path) === null)).toEqual(
    [],
  );
  expect(
    ['.tmp/x', '.temp', '.tmp-123', '.Trash-1000/x', '.trash'].filter((path) => findUnknownDot(path) !== null),
  ).toEqual([]);
});
