import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noteOutput } from '../../tools/builtin/tools.test-support.js';
import { asTold, openPrograms, type Programs } from '../programs.test-support.js';

export const READ = 'gatehouse.read_file';

export const invoke = (programs: Programs, more: object = {}, agent?: string, signal?: AbortSignal) =>
  programs.post('/v1/tool/invoke', { tool_id: READ, parameters: { path: 'a.txt' }, ...more }, agent, signal);

export async function open(options: Parameters<typeof openPrograms>[0] = {}): Promise<Programs> {
  const programs = await openPrograms(options);
  writeFileSync(join(programs.gate.workspace, 'a.txt'), 'hello\n');
  return programs;
}

/** A tool that runs until the test lets it end. */
export function held() {
  const ran: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const tool = asTold('held', async ({ text }, { signal }) => {
    ran.push(text);
    await new Promise<void>((end) => {
      void promise.then(end);
      signal.addEventListener('abort', () => end());
    });
    signal.throwIfAborted();
    return noteOutput(text);
  });
  return { ran, tool, end: resolve };
}

export const hold = (text: string, more: object = {}) => ({ tool_id: 'test.held', parameters: { text }, ...more });
