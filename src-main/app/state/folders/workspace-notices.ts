import { homedir } from 'node:os';
import type { Notice } from '#contract/window/notices.js';
import { isWithin } from '../../../platform/data-folder/paths.js';
import { sha256 } from '../../../platform/digest.js';
import type { Roots } from './folders.js';

/** Warns a person who has a folder open that holds more than a project. */
export const wideWorkspaces = (folders: readonly string[], dataDir: string): readonly Notice[] =>
  folders.flatMap((folder) => wideWorkspace(folder, dataDir, homedir()));

function wideWorkspace(workspace: string, dataDir: string, home: string): readonly Notice[] {
  const notice = (what: string): readonly Notice[] => [
    {
      id: `workspace-wide-${shortId(workspace)}`,
      severity: 'warning',
      title: 'This folder contains more than a project',
      text:
        `${workspace} is ${what}. Tools read there without asking, and commands may change what other programs start ` +
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

/** The folders that tools may touch in each open folder, where they are not simply that one. */
export const otherRoots = (all: ReadonlyMap<string, Roots>): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    [...all].flatMap(([folder, { roots }]) =>
      roots.length === 1 && roots[0] === folder ? [] : [[folder, roots] as const],
    ),
  );

/** Folders that settings name and that tools may not touch all the same. */
export const refusedRoots = (all: ReadonlyMap<string, Roots>): readonly Notice[] =>
  [...all].flatMap(([folder, { refusedRoots: refused }]): readonly Notice[] => {
    if (refused.length === 0) return [];
    const list = refused.map(({ asked, why }) => `${asked}: ${why}.`).join(' ');
    return [
      {
        id: `roots-refused-${shortId(folder)}`,
        severity: 'warning',
        title: 'Tools can’t use a folder from the settings',
        text: `In ${folder}: ${list}`,
        details: null,
        dismissible: true,
      },
    ];
  });

const shortId = (folder: string): string => sha256(folder).slice(0, 8);
