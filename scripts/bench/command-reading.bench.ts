import { pathToFileURL } from 'node:url';
import { Language, Parser } from 'web-tree-sitter';
import { installedGrammar } from '../../src-main/tools/builtin/run-command/analysis/command-reader.js';
import { createThreadedReader } from '../../src-main/tools/builtin/run-command/analysis/threaded-reader.js';
import { type Compare, timed } from './harness.js';

/** As agents send them: short ones, and one of those that are whole programs. */
const COMMANDS: readonly (readonly [name: string, command: string])[] = [
  ['a short command', 'npm test 2>&1 | tail -n 20'],
  [
    'several at once',
    'git status --short && git diff --stat && npm run -s lint -- --fix src; npx tsc --noEmit | head -50',
  ],
  [
    '1 KB',
    Array.from(
      { length: 12 },
      (_, n) =>
        `cd src && grep -rn 'x${n}' --include='*.ts' . 2>/dev/null | sort -u | head -${n + 1} && sed -n '${n},+9p' part-${n}.ts; cd ..`,
    ).join('\n'),
  ],
  [
    'a program of 4 KB',
    Array.from(
      { length: 40 },
      (_, n) => `for f in src/part-${n}/*.ts; do if [ -f "$f" ]; then sed -n '1,${n}p' "$f" | grep -c "x$n"; fi; done`,
    ).join('\n'),
  ],
];

/** Reading a command for its verdict: the aim is 5 ms at p95, on its thread, with what comes and goes between threads. */
export async function run(compare: Compare): Promise<void> {
  const { runtime, grammar } = installedGrammar();
  await Parser.init({ locateFile: () => runtime });
  const bare = new Parser().setLanguage(await Language.load(grammar));
  const onThread = createThreadedReader({
    entry: new URL('out/main/command-reader.js', pathToFileURL(`${process.cwd()}/`)),
  });
  const peer = (command: string) => ({
    name: 'tree-sitter, bare parse',
    sample: () => timed(() => bare.parse(command)?.delete()),
  });
  for (const [name, command] of COMMANDS) {
    await compare({
      name: `Read ${name} for a verdict, on its thread`,
      unit: 'ms',
      subject: { name: 'threaded reader', sample: () => timed(() => onThread.analyze(command, ['/home/me/project'])) },
      peer: peer(command),
      warmUp: 20,
      samples: 200,
    });
  }
}
