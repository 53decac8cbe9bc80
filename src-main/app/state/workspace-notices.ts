import { homedir } from 'node:os';
import type { Notice } from '#contract/window/notices.js';
import { isWithin } from '../../platform/data-folder/paths.js';
import type { PathJail } from '../../workspace/sandbox/path-jail.js';

/** What a person should know who opens a folder that holds more than a project. */
export function wideWorkspace(workspace: string, dataDir: string, home = homedir()): readonly Notice[] {
  const notice = (what: string): readonly Notice[] => [
    {
      id: 'workspace-wide',
      severity: 'warning',
      title: 'This workspace holds more than a project',
      text:
        `${workspace} is ${what}. Tools that read need no asking there, and commands may change what other programs start ` +
        'from. Open the folder of one project instead.',
      details: null,
      dismissible: true,
    },
  ];
  if (workspace === '/' || /^[A-Za-z]:[\\/]?$/.test(workspace)) return notice('the whole machine');
  if (workspace === home) return notice('your home folder');
  if (isWithin(workspace, home)) return notice('a folder that holds your home folder');
  return isWithin(workspace, dataDir)
    ? notice('a folder that holds Gatehouse’s own data, which stays refused to tools')
    : [];
}

/** The folders that tools may touch, where they are not simply the workspace. */
export const otherRoots = (roots: readonly string[], workspace: string): readonly string[] =>
  roots.length === 1 && roots[0] === workspace ? [] : roots;

/** Folders that settings name and that tools may not touch all the same. */
export function refusedRoots({ refusedRoots: refused }: Pick<PathJail, 'refusedRoots'>): readonly Notice[] {
  if (refused.length === 0) return [];
  return [
    {
      id: 'roots-refused',
      severity: 'warning',
      title: 'A folder that settings name is refused to tools',
      text: refused.map(({ asked, why }) => `${asked} (tools.sandbox.allowed_roots): ${why}.`).join(' '),
      details: null,
      dismissible: true,
    },
  ];
}
