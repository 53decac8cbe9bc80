// A process that looks after a command and is killed at its n-th step, for tests that look at what it leaves.
import '../../../journal/reading/source-hooks.test-support.ts';
import { writeSync } from 'node:fs';

const { Bench } = await import('../../transaction/transaction.test-support.js');
const { leaveSamples, openGuard } = await import('./guard-samples.test-support.js');

const [base = '', killAt = '0'] = process.argv.slice(2);
const bench = await Bench.at(base);
const guard = openGuard(bench);
const watch = bench.parts.meanwhile.watch(bench.workspace);
await guard.begin('call-1', bench.workspace, {
  mayLeave: { git: false, gitCommands: null, named: ['named.code-workspace'] },
  watch,
  writesOutside: false,
});
leaveSamples(bench.workspace);
let steps = 0;
bench.step = () => {
  steps += 1;
  if (steps === Number(killAt)) process.kill(process.pid, 'SIGKILL');
};
await guard.end('call-1', bench.workspace);
writeSync(1, `steps ${steps}\n`);
