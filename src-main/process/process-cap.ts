import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The supervisor and what confines the command are in the group too. */
const OURS = 8;
const PREFIX = 'gatehouse-';

/**
 * The kernel's own cap on how many processes a command may have, where we may set one (a pids cgroup: as root, or where
 * one is delegated). The watch ends what passes the limit, but it only looks now and then, and a fork bomb is faster;
 * RLIMIT_NPROC does not bind root. Null where there is no cap to be had.
 */
export interface ProcessCap extends Disposable {
  /** Whether the kernel has refused a process: then the limit was reached, whatever is left alive. */
  readonly struck: () => boolean;
}

export function capProcesses(pid: number, max: number, name: string): ProcessCap | null {
  const parent = pidsController();
  if (parent === null) return null;
  const group = join(parent, `${PREFIX}${name}`);
  try {
    mkdirSync(group);
    writeFileSync(join(group, 'pids.max'), String(max + OURS));
    writeFileSync(join(group, 'cgroup.procs'), String(pid));
  } catch {
    remove(group);
    return null;
  }
  return {
    struck: () => /^max [1-9]/mu.test(textOf(join(group, 'pids.events'))),
    [Symbol.dispose]: () => remove(group),
  };
}

let found: string | null | undefined;

function pidsController(): string | null {
  found ??= process.platform === 'linux' ? findController() : null;
  return found;
}

function findController(): string | null {
  const parent = ['/sys/fs/cgroup/pids', '/sys/fs/cgroup'].find((path) => {
    if (path.endsWith('/pids')) return existsSync(join(path, 'cgroup.procs'));
    return textOf(join(path, 'cgroup.subtree_control')).split(/\s/u).includes('pids');
  });
  if (parent === undefined) return null;
  // What a killed app left: only groups without processes can be removed, so no running one is touched.
  for (const name of namesIn(parent)) if (name.startsWith(PREFIX)) remove(join(parent, name));
  return parent;
}

function remove(group: string): void {
  try {
    rmdirSync(group);
  } catch {
    // Not there, or a process of it is still on its way out: the next start removes it.
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
