// A process that changes a workspace and is killed at its n-th step, for tests that look at what it leaves.
import '../../journal/reading/source-hooks.test-support.ts';
import { writeSync } from 'node:fs';

const { Bench } = await import('./transaction.test-support.js');
const { ToolFailure } = await import('../../domain/tool/tool.js');
const { command } = await import('../undo/command-samples.test-support.js');
const { CRASH_CHANGES } = await import('./crash-samples.test-support.js');

const [base = '', work = '', killAt = '0'] = process.argv.slice(2);
const say = (word: string): void => {
  writeSync(1, `${word}\n`);
};
const bench = await Bench.at(base, { durable: work === 'attempt' });
let steps = 0;
const counted = (): void => {
  steps += 1;
  if (steps === Number(killAt)) process.kill(process.pid, 'SIGKILL');
};

switch (work) {
  case 'commit': {
    bench.step = counted;
    const transaction = await bench.begin('call-1', CRASH_CHANGES);
    await transaction.commit();
    // Here the journal would hold the result.
    say('settled');
    await transaction.settle();
    break;
  }
  case 'attempt': {
    // For those who break system calls under it.
    const transaction = await bench.begin('call-1', CRASH_CHANGES);
    say('begin');
    try {
      await transaction.commit();
      say('settled');
      await transaction.settle();
    } catch (error) {
      const left = await transaction.rollback();
      const code = error instanceof ToolFailure ? error.failure.code : String(error);
      say(`failed ${left === null ? code : 'StateError'}`);
    }
    break;
  }
  case 'rollback': {
    const transaction = await bench.begin('call-1', CRASH_CHANGES);
    await transaction.commit();
    bench.step = counted;
    await transaction.rollback();
    break;
  }
  case 'recover':
    bench.step = counted;
    await bench.transactions.recover(() => false);
    break;
  case 'undo': {
    bench.step = counted;
    const transaction = bench.transactions.begin('undo-1');
    await bench.undo.stage({ of: [{ callId: 'call-1', paths: null }], sandbox: bench.jail, transaction });
    await transaction.commit();
    say('settled');
    await transaction.settle();
    break;
  }
  case 'command': {
    bench.step = counted;
    await command(bench, 'call-1');
    // Here the journal would hold the result.
    say('settled');
    break;
  }
  default:
    throw new Error(`no such work: ${work}`);
}
say(`steps ${steps}`);
