import { spawn } from 'node:child_process';

export interface ChildEnd {
  /** Complete lines of its output: a line that was cut off does not count. */
  readonly lines: readonly string[];
  readonly killed: boolean;
}

/**
 * Runs a script of ours in a process of its own, for tests that kill it, under `wrapper` if given; it is killed when it has
 * said `killAfter` lines, or kills itself. Whatever else ends it but its own end is a fault of the test.
 */
export async function runChild(
  script: string,
  args: readonly string[],
  { wrapper = [], killAfter = Infinity }: { readonly wrapper?: readonly string[]; readonly killAfter?: number } = {},
): Promise<ChildEnd> {
  const [command = process.execPath, ...rest] = [...wrapper, process.execPath, script, ...args];
  const child = spawn(command, rest, {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_NO_WARNINGS: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    if (text.split('\n').length > killAfter) child.kill('SIGKILL');
  });
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode, endedBy) => resolve([exitCode, endedBy]));
  });
  if (signal !== 'SIGKILL' && code !== 0) throw new Error(`The child ended with ${code ?? signal}.`);
  return { lines: text.split('\n').slice(0, -1), killed: signal !== null };
}

/** The number of steps that a child reports at its end; for a child that was not killed. */
export const stepsIn = (lines: readonly string[]): number =>
  Number(lines.find((line) => line.startsWith('steps '))?.slice('steps '.length));
