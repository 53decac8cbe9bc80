import { chmod, lstat, readdir, readFile, readlink, rm, symlink, writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandChange } from '../../domain/ports/workspace/command-undo.js';
import { sha256 } from '../../platform/digest.js';
import { createCommandUndo } from './command-undo.js';
import type { Bench, FileTree } from '../transaction/transaction.test-support.js';

/** A tree that a command finds, and what it does to it: every kind of change, in folders of its own and in others. */
export const COMMAND_TREE: FileTree = {
  'edited.txt': { content: 'one\n', mode: 0o640 },
  'run.sh': { content: '#!/bin/sh\n', mode: 0o755 },
  'rights.txt': { content: 'same', mode: 0o600 },
  'deep/er/gone.bin': { content: Buffer.from([0, 255, 10, 13, 0]), mode: 0o4711 },
  'becomes-link': { content: 'a file', mode: 0o644 },
  'untouched.txt': { content: 'untouched', mode: 0o644 },
};

export async function actAsCommand(workspace: string): Promise<void> {
  const at = (path: string) => join(workspace, path);
  await writeFile(at('edited.txt'), 'one\ntwo\n');
  await writeFile(at('run.sh'), '#!/bin/sh\ntrue\n');
  await chmod(at('run.sh'), 0o700);
  await chmod(at('rights.txt'), 0o444);
  await rm(at('deep'), { recursive: true });
  await rm(at('becomes-link'));
  await symlink('/etc/hostname', at('becomes-link'));
  await mkdir(at('new/er'), { recursive: true });
  await writeFile(at('new/er/made.txt'), 'made');
  await symlink('made.txt', at('new/er/link'));
}

type State = NonNullable<CommandChange['before']>;

async function states(workspace: string): Promise<ReadonlyMap<string, State>> {
  const found = new Map<string, State>();
  for (const relative of await readdir(workspace, { recursive: true })) {
    const path = join(workspace, relative);
    const facts = await lstat(path);
    const { mode, uid, gid, size } = facts;
    if (facts.isSymbolicLink()) found.set(relative, { kind: 'link', target: await readlink(path) });
    else if (facts.isFile()) {
      const content = await readFile(path);
      found.set(relative, { kind: 'file', sha256: sha256(content), size, mode: mode & 0o7777, uid, gid, content });
    }
  }
  return found;
}

/** The differences between two snapshots of a workspace, as whoever runs commands reports them. */
export async function changesOf(workspace: string, act: () => Promise<void>): Promise<readonly CommandChange[]> {
  const before = await states(workspace);
  await act();
  const after = await states(workspace);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((relative) => {
    const change = { relative, before: before.get(relative) ?? null, after: after.get(relative) ?? null, isSure: true };
    return JSON.stringify(change.before) === JSON.stringify(change.after) ? [] : [change];
  });
}

export async function* oneByOne<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

/** A whole command on the bench: it acts, and what it changed is kept. */
export async function command(
  bench: Bench,
  callId: string,
  act: () => Promise<void> = () => actAsCommand(bench.workspace),
  createdFolders: readonly string[] = ['new', 'new/er'],
): Promise<ReadonlySet<string>> {
  const changes = oneByOne(await changesOf(bench.workspace, act));
  return createCommandUndo(bench.parts).keep({
    callId,
    root: bench.workspace,
    changes,
    createdFolders,
    leaves: () => [],
    removedFolders: [],
  });
}
