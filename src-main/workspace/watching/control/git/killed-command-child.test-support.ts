// A process that watches a command of Git and is killed while that runs, for tests that look at what the next start does.
import '../../../../journal/reading/source-hooks.test-support.ts';
import { execFileSync } from 'node:child_process';

const { Bench } = await import('../../../transaction/transaction.test-support.js');
const { openGuard } = await import('../guard-samples.test-support.js');

const [base = '', asked = 'null', ...commands] = process.argv.slice(2);
const bench = await Bench.at(base);
await openGuard(bench).begin('call-1', bench.workspace, {
  mayLeave: { git: true, gitCommands: JSON.parse(asked) as readonly (readonly string[])[] | null, named: [] },
  watch: bench.parts.meanwhile.watch(bench.workspace),
  writesOutside: true,
});
for (const command of commands) execFileSync('sh', ['-c', command], { cwd: bench.workspace });
process.kill(process.pid, 'SIGKILL');
