import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseOutputOrder } from '../domain/call/output-order.js';
import { openTestRunner } from './process.test-support.js';

const FILES = 12;
const STEPS = 3000;

/** A long bar a file, drawn over itself, and then a word on the other stream: as far apart as a terminal may hold. */
const BARS = String.raw`perl -e '$| = 1; for my $file (1 .. ${FILES}) { printf "\rfile $file: %d of ${STEPS}", $_ for 1 .. ${STEPS}; print "\n"; print STDERR "after $file\n"; select undef, undef, undef, 0.05 }'`;

const stored = (outputs: string, callId: string, stream: string): Buffer =>
  readFileSync(join(outputs, `${callId}.${stream}`));

it.each(['off', 'preferred'] as const)(
  'what is written on one stream after much on the other never stands before it, while the machine is busy (confinement %s)',
  async (confinement) => {
    await using runner = await openTestRunner();
    // Four at once on two cores: the kernel carries the terminal's bytes over when it gets to it.
    await using others = new AsyncDisposableStack();
    const busy = await Promise.all(Array.from({ length: 3 }, () => openTestRunner()));
    for (const other of busy) others.use(other);
    const ended = Promise.all(busy.map((other) => other.run(BARS, { settings: { confinement: 'off' } })));
    await runner.run(BARS, { settings: { confinement } });
    await ended;
    const read = { stdout: 0, stderr: 0 };
    const callId = runner.lastCall();
    const bytes = {
      stdout: stored(runner.outputs, callId, 'stdout'),
      stderr: stored(runner.outputs, callId, 'stderr'),
    };
    const together = parseOutputOrder(stored(runner.outputs, callId, 'order').toString())
      .map(({ stream, bytes: many }) => bytes[stream].toString('latin1', read[stream], (read[stream] += many)))
      .join('');
    for (let file = 1; file <= FILES; file += 1) {
      const bar = together.indexOf(`file ${file}: ${STEPS} of ${STEPS}`);
      expect(bar).toBeGreaterThan(-1);
      // How long after it is a matter of when the pipe was read; never before it.
      expect(together.indexOf(`after ${file}\n`), `after ${file}`).toBeGreaterThan(bar);
    }
  },
);
