import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { SUPERVISOR_SHELLS } from '../start/supervisor.js';
import { isExecutable, readTextOrNull } from '../environment/system-files.js';
import {
  withoutUndefined,
  type ContainerEngine,
  findInstalled,
  removalArguments,
  type EngineAnswer,
  runEngine,
} from './engines.js';

/** The label of the containers of one data folder, which has one app at a time. */
const LABEL = 'gatehouse.data';
export const containerLabel = (noteFile: string): string =>
  `${LABEL}=${createHash('sha256').update(noteFile).digest('hex').slice(0, 16)}`;

/**
 * An engine asks what runs a container to end it, and waits for the answer; gVisor's kernel is a program that may hang, and gives
 * none. Then the container's own process is killed, which needs nobody's answer.
 */
const PATIENCE_MS = 10_000;

/** The script that removes the containers, for a shell as below. */
const removalScript = (engine: ContainerEngine): string => `IFS= read -r _; label=$1; shift
ids=$("$@" ps -aq --filter "label=$label"); [ -n "$ids" ] || exit 0
timeout -k 1 ${PATIENCE_MS / 1000} "$@" ${removalArguments(engine).join(' ')} $ids && exit 0
for pid in $("$@" inspect --format '{{.State.Pid}}' $ids); do [ "$pid" -le 1 ] || kill -9 "$pid"; done
exec "$@" ${removalArguments(engine).join(' ')} $ids`;

export async function removeContainers(
  engine: Pick<ContainerEngine, 'by' | 'words' | 'environment'>,
  names: readonly string[],
): Promise<EngineAnswer> {
  const removed = await runEngine(engine, [...removalArguments(engine), ...names], PATIENCE_MS);
  if (removed.code === 0) return removed;
  const { stdout } = await runEngine(engine, ['inspect', '--format', '{{.State.Pid}}', ...names]);
  for (const pid of stdout.split('\n').map(Number)) if (pid > 1) killNow(pid);
  return runEngine(engine, [...removalArguments(engine), ...names]);
}

function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process ended meanwhile.
  }
}

/**
 * Containers are their engine’s children, and go on when we are gone. So a shell waits for our end, whatever ends us, and
 * removes what is left. A note says that there were any: where that shell was ended too, the next start removes them.
 */
export function removeAtAppEnd(engine: ContainerEngine, noteFile: string): { readonly over: () => Promise<void> } {
  mkdirSync(dirname(noteFile), { recursive: true, mode: 0o700 });
  writeFileSync(noteFile, engine.by, { mode: 0o600 });
  const shell = SUPERVISOR_SHELLS.find(isExecutable) ?? '/bin/bash';
  const words = [
    '--noprofile',
    '--norc',
    '-p',
    '-c',
    removalScript(engine),
    'gatehouse',
    containerLabel(noteFile),
    ...engine.words,
  ];
  const child = spawn(shell, words, { env: engine.environment, detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
    child.once('error', () => resolve());
  });
  child.stdin.on('error', () => undefined);
  child.unref();
  (child.stdin as Writable & { unref?: () => void }).unref?.();
  return {
    over: async () => {
      child.ref();
      child.stdin.end();
      await ended;
      rmSync(noteFile, { force: true });
    },
  };
}

/** Removes at start the containers of an app that is gone. */
export async function removeLeftContainers(noteFile: string, log: (message: string) => void): Promise<void> {
  if (!existsSync(noteFile)) return;
  const by = readTextOrNull(noteFile) === 'docker' ? 'docker' : 'podman';
  const program = findInstalled(by);
  if (program === null) return log('Containers of workers that ran before could not be looked for.');
  const engine = { by, words: [program], environment: withoutUndefined(process.env) } as const;
  const listed = await runEngine(engine, ['ps', '-aq', '--filter', `label=${containerLabel(noteFile)}`]);
  const ids = listed.stdout.split('\n').filter((id) => id !== '');
  const removed = ids.length === 0 ? listed : await removeContainers(engine, ids);
  if (removed.code === 0) rmSync(noteFile, { force: true });
  else log(`Containers of workers that ran before could not be removed: ${removed.stderr.trim().slice(0, 300)}`);
}
