import { foldPath } from './name-folding.js';

/**
 * What other programs obey without being asked: hooks, editor and shell start-up, build and CI definitions that run by
 * themselves. Writing one of these is running something later, so it is High risk and always asks.
 */
const FOLDERS = new Set([
  '.git',
  '.gatehouse',
  '.vscode',
  '.vscode-server',
  '.idea',
  '.fleet',
  '.zed',
  '.cursor',
  '.claude',
  '.continue',
  '.husky',
  '.githooks',
  '.devcontainer',
  '.circleci',
  '.buildkite',
  '.emacs.d',
  '.vim',
  '.gnupg',
  '.ssh',
]);

const FILES = new Set([
  '.mcp.json',
  '.envrc',
  '.direnvrc',
  '.gitmodules',
  '.gitconfig',
  '.gitattributes',
  '.profile',
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.mkshrc',
  '.cshrc',
  '.tcshrc',
  '.login',
  '.logout',
  '.xinitrc',
  '.xprofile',
  '.xsession',
  '.xsessionrc',
  '.inputrc',
  '.vimrc',
  '.gvimrc',
  '.nvimrc',
  '.nvim.lua',
  '.exrc',
  '.emacs',
  '.dir-locals.el',
  '.gdbinit',
  '.lldbinit',
  '.pythonrc',
  '.irbrc',
  '.pryrc',
  '.rprofile',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  '.pre-commit-config.yaml',
  '.lefthook.yml',
  'lefthook.yml',
  '.gitlab-ci.yml',
  '.travis.yml',
  'mise.toml',
  '.mise.toml',
  '.tool-versions',
  'sitecustomize.py',
  'usercustomize.py',
]);

/** Runs of names, anywhere in the path. */
const PLACES = [
  '.github/workflows',
  '.github/actions',
  '.config/fish',
  '.config/nvim',
  '.config/git',
  '.config/autostart',
  '.config/systemd',
  '.config/environment.d',
  '.local/share/applications',
  '.local/bin',
  '.cargo/config',
  '.cargo/config.toml',
  '.bundle/config',
  '.yarn/releases',
  '.yarn/plugins',
  'library/launchagents',
] as const;

/** Whether `relative`, below its root, is one of them or in one of them; existing or not. `rootName` is the root's own. */
export function isControlFile(relative: string, rootName = ''): boolean {
  const path = foldPath(rootName === '' ? relative : `${rootName}/${relative}`);
  const names = path.split('/');
  if (names.some((name) => FOLDERS.has(name))) return true;
  if (FILES.has(names.at(-1) ?? '')) return true;
  return PLACES.some((place) => `/${path}/`.includes(`/${place}/`));
}
