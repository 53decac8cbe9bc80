// As an ordinary user: root may read what nobody may, so a test that runs as root needs somebody else for this.
import '../../../journal/reading/source-hooks.test-support.ts';
import { chmodSync, existsSync, mkdirSync, renameSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const { Bench } = await import('../../transaction/transaction.test-support.js');
const { openGuard } = await import('./guard-samples.test-support.js');

const bench = await Bench.at(process.argv[2] ?? '');
const guard = openGuard(bench);
const at = (path: string): string => join(bench.workspace, path);
const look = async (callId: string, command: () => void) => {
  using watch = bench.parts.meanwhile.watch(bench.workspace);
  await guard.begin(callId, bench.workspace, {
    mayLeave: { git: false, gitCommands: null, named: [] },
    watch,
    writesOutside: false,
  });
  command();
  const { complete, putAside } = await guard.end(callId, bench.workspace);
  return { complete, aside: putAside.map(({ path }) => path), doubt: guard.isInDoubt(bench.workspace) };
};
const hidden = await look('call-1', () => {
  mkdirSync(at('d/.vscode'), { recursive: true });
  writeFileSync(at('d/.vscode/tasks.json'), 'x');
  chmodSync(at('d'), 0);
});
/** Only root could have made it. */
const foreign = existsSync(at('foreign'));
const moved = foreign ? await look('call-2', () => renameSync(at('foreign'), at('.zed'))) : null;
if (foreign) renameSync(at('.zed'), at('foreign'));
const back = foreign ? await look('call-3', () => undefined) : null;
writeSync(1, JSON.stringify({ hidden, left: existsSync(at('d/.vscode/tasks.json')), moved, back }));
