import { onTestFinished } from 'vitest';
import { Bench } from './transaction.test-support.js';

/** A bench with these files in its workspace; gone after the test. */
export async function benchWith(files: Parameters<Bench['write']>[0]): Promise<Bench> {
  const bench = await Bench.create();
  onTestFinished(() => bench.dispose());
  await bench.write(files);
  return bench;
}
