import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openTestRedactor } from '../../src-main/platform/redaction/redactor.test-support.js';
import { type Compare, timed } from './harness.js';

const MIB = 2 ** 20;
const filled = (unit: string): string => unit.repeat(Math.ceil(MIB / unit.length)).slice(0, MIB);

const ORDINARY = filled(
  '2026-11-19T01:51:16.123Z INFO [node_modules/vite/dist/node/chunks/config.js:1234] compiled src/call.tsx in 12 ms\n',
);
/** What each kind of rule finds hardest. */
const HOSTILE = [
  'password="',
  '"password":["a",',
  'password%3D%22',
  'AccountKey=',
  'docker login ',
  '-----END PRIVATE KEY-----\n',
  'a-',
  'password: |\n  a\n',
  'ghs_1_a.',
].map(filled);
/** What only looks like what rules look for, over and over: it is looked at on the main thread. */
const NEARLY = filled('://a secrecy .abcdef /hooks 12345678:a ');
/** One pass over the text by a pattern that never matches: what looking at it costs at least. */
const bare = (text: string): number => text.match(/\u{1f511}[a-z]{3}/gu)?.length ?? 0;

/** Secrets looked for in 1 MiB: the time of it, and what the main thread has of it. */
export async function run(compare: Compare): Promise<void> {
  const redactor = openTestRedactor();
  const known = Array.from({ length: 20 }, (_, at) => `a-known-value-${at}-0123456789abcdef`);
  redactor.know(known);
  let worst = HOSTILE[0] ?? '';
  let longest = 0;
  for (const text of HOSTILE) {
    await redactor.textLater(text);
    const ms = await timed(() => redactor.textLater(text));
    if (ms > longest) [worst, longest] = [text, ms];
  }
  for (const [name, text] of [
    ['ordinary output', ORDINARY],
    ['what nearly is one', NEARLY],
    [`the worst of ${HOSTILE.length} hostile texts (${JSON.stringify(worst.slice(0, 16))}…)`, worst],
  ] as const) {
    await compare({
      name: `Secrets looked for in 1 MiB of ${name}`,
      unit: 'ms',
      subject: { name: 'redactor', sample: () => timed(() => redactor.textLater(text)) },
      peer: { name: 'a bare pass', sample: () => timed(() => bare(text)) },
      warmUp: 2,
      samples: 10,
    });
    await compare({
      name: `What the main thread has of it at most, ${name}`,
      unit: 'ms',
      subject: {
        name: 'delay',
        sample: async () => {
          const delay = monitorEventLoopDelay({ resolution: 1 });
          delay.enable();
          await redactor.textLater(text);
          // What was done at once is seen by the next look at the clock.
          await new Promise((resolve) => setTimeout(resolve, 5));
          delay.disable();
          return delay.max / 1e6;
        },
      },
      peer: { name: 'what is allowed', sample: () => 50 },
      warmUp: 1,
      samples: 10,
      goal: { atMost: 1 },
    });
  }
}
