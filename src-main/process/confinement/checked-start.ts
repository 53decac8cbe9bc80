import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { SUPERVISOR_SHELLS } from '../start/supervisor.js';
import { isExecutable } from '../environment/system-files.js';
import type { InnerMount } from './workspace-mounts.js';

/**
 * Checks the mounts before anything runs inside. Another command may run in the same workspace, and make a link of a
 * path between our check and the moment that bubblewrap mounts it. So bubblewrap has to wait when everything is
 * mounted, until it is seen from outside that each mount shows what it should and is where it should be. The check runs
 * outside because a mount that went astray may have replaced the very program that checks. Each mount of ours adds one
 * line to the kernel's list. One that went astray, or that shows something else, is missing from it: then what was to
 * be confined is ended, and noted where nothing inside can write. The pipe that bubblewrap waits at is held open by
 * itself: if the check can't be finished, nothing runs.
 */
const SCRIPT = `
count=$1
shift
wanted=("\${@:1:count}")
shift "$count"
look() {
  while IFS= read -r line; do
    case $line in *'"child-pid"'*) child=\${line//[!0-9]/}; break ;; esac
  done
  [ -n "$child" ] || return
  tries=0
  while [ -e "/proc/$child" ]; do
    # Whether it waits is asked before what is mounted: what is missing from then on stays missing.
    waits=
    IFS= read -r -d '' waits 2>/dev/null <"/proc/$child/wchan"
    mounts=
    IFS= read -r -d '' mounts 2>/dev/null <"/proc/$child/mountinfo"
    missing=
    for each in "\${wanted[@]}"; do
      case $mounts in *"$each"*) mounts=\${mounts/"$each"/} ;; *) missing=$each; break ;; esac
    done
    if [ -z "$missing" ]; then
      echo >&8
      return
    fi
    tries=$((tries + 1))
    case $waits in *pipe_read*) break ;; esac
    [ "$tries" -lt 10000 ] || break
    IFS= read -r -t 0.001 -u 8
  done
  [ -e "/proc/$child" ] || return
  echo '{ "astray": true }' >&5
  echo 'bwrap: a path of the workspace was changed while it was confined' >&2
  kill -KILL "$child"
}
exec 8<> <(:) 9> >(look)
exec "$@"
`;

export const CHECKING_SHELL = SUPERVISOR_SHELLS.find(isExecutable) ?? '/bin/bash';

/** Stands before bubblewrap's words, which have to have these among them. */
export const CHECK_OPTIONS: readonly string[] = ['--block-fd', '8', '--info-fd', '9'];

export function checkedStartWords(bash: string, workspace: string, inner: readonly InnerMount[]): readonly string[] {
  const wanted = wantedLines(workspace, inner);
  return [bash, '--noprofile', '--norc', '-p', '-c', SCRIPT, 'gatehouse', String(wanted.length), ...wanted];
}

interface MountLine {
  readonly id: string;
  /** The part of its file system that the mount shows, and where. As the kernel writes it. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
}

/** The expected lines of the kernel's list, each with the spaces around it, so that it is found as a whole. */
function wantedLines(workspace: string, inner: readonly InnerMount[]): readonly string[] {
  const mounts = mountsNow();
  const whole: InnerMount = { path: workspace, as: 'own', kind: 'folder' };
  return [whole, ...inner].flatMap((mount) => {
    const point = escaped(mount.path);
    const root = rootOf(mount, mounts);
    // What is a mount already comes along when the system is mounted, and each time that something above it is.
    const already = mounts.filter((each) => each.point === point && each.root === root).length;
    const above = inner.filter(({ path, as }) => as === 'own' && mount.path.startsWith(`${path}/`)).length;
    const times = 1 + already * (mount === whole ? 1 : 2 + above);
    return Array.from({ length: times }, () => ` ${root} ${point} `);
  });
}

function rootOf(mount: InnerMount, mounts: readonly MountLine[]): string {
  if (mount.as === 'covered' && mount.kind === 'folder') return '/';
  const path = mount.as === 'covered' ? (mount.by ?? '/dev/null') : mount.path;
  const mountId = mountIdOf(path);
  const on = mounts.find(({ id }) => id === mountId);
  // Gone by now. Bubblewrap will not find it either; if it is back by then, it is not what was looked at.
  if (on === undefined) return '-';
  // NFS says “/” of everything.
  if (on.type.startsWith('nfs')) return on.root;
  const within = escaped(path).slice(on.point === '/' ? 0 : on.point.length);
  return on.root === '/' ? within || '/' : on.root + within;
}

const mountsNow = (): readonly MountLine[] =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [id = '', , , root = '', point = ''] = line.split(' ');
      return { id, root, point, type: line.split(' - ')[1]?.split(' ')[0] ?? '' };
    });

function mountIdOf(path: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, O_PATH | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
  try {
    return /^mnt_id:\s*(\d+)/mu.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
  } finally {
    closeSync(fd);
  }
}

/** Opens nothing: only says which one is meant. Node has no name for it. */
const O_PATH = 0o10000000;

const escaped = (path: string): string =>
  path.replace(/[ \t\n\\]/gu, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
