import xterm from '@xterm/headless';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { measureCell } from '#contract/vocabulary/screen/cell-width.js';
import { TerminalRows, type OutputStreamName } from '#contract/vocabulary/screen/terminal-rows.js';
import { OutputOrder } from '../../domain/call/output-order.js';
import { FileOutputStore } from '../../journal/outputs/output-store.js';
import { openTestJournal, openTestReader, testFolder } from '../../journal/writing/journal.test-support.js';
import { batchReceived, settled, started } from '../../journal/writing/journal-samples.test-support.js';
import { createSealer } from '../../keys/sealing.js';
import { openTestRedactor } from '../../platform/redaction/redactor.test-support.js';
import { createOutputPump } from '../../process/output/output-pump.js';

const ESC = '\u{1b}';
const COLUMNS = 400;
const MOST = 2 ** 23;

/** What commands write, whole; each is cut at any byte. What moves between rows is in none: nobody draws screens here. */
const UNITS = [
  'a', 'be', 'needle', ' ', 'é', '漢', '字', '🎈', 'e\u{301}', '\t', '\r', '\r', '\n', '\n', '\r\n', '\r\r\n',
  `${ESC}[K`, `\r${ESC}[2K`, `${ESC}[2K\r`, `${ESC}[2K${ESC}[1G`, `${ESC}[G`, `${ESC}[31m`, `${ESC}[1;48;5;4m`, `${ESC}[m`,
  `${ESC}]0;a title\u{7}`, `${ESC}[?25l`, `${ESC}P$qm${ESC}\\`,
]; // prettier-ignore
const UNREADABLE = [Buffer.from([0xff]), Buffer.from([0xe2, 0x82]), Buffer.from([0xc3, 0x28])];

/** So that the last row is one to see. */
const LAST = Buffer.from('.');

const unit = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...UNITS).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.constantFrom(...UNREADABLE) },
);

/** The rows that a real terminal shows. */
async function onTerminal(text: string): Promise<readonly string[]> {
  const terminal = new xterm.Terminal({
    cols: COLUMNS,
    rows: 8,
    scrollback: 2000,
    convertEol: true,
    allowProposedApi: true,
  });
  terminal.unicode.register({
    version: 'as wide as ours',
    wcwidth: measureCell,
    charProperties: (code, before) => {
      const joins = measureCell(code) === 0 && before !== 0;
      return ((joins ? (before >> 1) & 3 : measureCell(code)) << 1) | (joins ? 1 : 0) | (1 << 3);
    },
  });
  terminal.unicode.activeVersion = 'as wide as ours';
  await new Promise<void>((resolve) => terminal.write(text, resolve));
  const { active } = terminal.buffer;
  const rows = Array.from({ length: active.baseY + active.cursorY + 1 }, (_, line) =>
    (active.getLine(line)?.translateToString(true) ?? '').trimEnd(),
  );
  terminal.dispose();
  return rows.at(-1) === '' ? rows.slice(0, -1) : rows;
}

/** As on a terminal: a tab is the blanks that it goes over, and blanks at the end are not seen. */
function asSeen(row: string): string {
  let seen = '';
  let column = 0;
  for (const character of row.replace(/\r?\n$/u, '')) {
    const width = character === '\t' ? 8 - (column % 8) : measureCell(character.codePointAt(0) ?? 0);
    seen += character === '\t' ? ' '.repeat(width) : character;
    column += width;
  }
  return seen.trimEnd();
}

const rowsOf = (text: string): readonly string[] => text.split(/(?<=\n)/u).filter((row) => row !== '');

function opened() {
  const folder = testFolder();
  const journal = openTestJournal(folder);
  const reader = openTestReader(folder);
  const store = new FileOutputStore(folder, createSealer(null));
  const redactor = openTestRedactor();
  onTestFinished(async () => {
    await reader.close();
    journal.close();
  });
  journal.append([batchReceived('b')]);
  let calls = 0;

  /** Runs it all through what a command's output goes through. */
  const run = async (turns: readonly (readonly [OutputStreamName, readonly Uint8Array[]])[]) => {
    const callId = `call-${(calls += 1)}`;
    journal.append(started({ callId, batchId: 'b', tool: 'run_command' }));
    const order = new OutputOrder();
    const shown = new TerminalRows();
    const live: string[] = [];
    const open = (stream: OutputStreamName) =>
      createOutputPump({
        openSink: () => store.open(callId, stream, MOST),
        openSealed: () => null,
        redaction: redactor.stream(),
        finds: (bytes) => redactor.finds(bytes),
        modelLimit: MOST,
        turn: () => order.turnOf(stream),
        onKept: (turn, bytes) => order.kept(turn, bytes),
        show: (text) => Promise.resolve(void live.push(...shown.push(text, stream).map((row) => row.text))),
        pause: () => undefined,
        resume: () => undefined,
        onQuota: () => expect.unreachable(),
        onStorageFailure: () => expect.unreachable(),
      });
    const pumps = { stdout: open('stdout'), stderr: open('stderr') };
    for (const [stream, pieces] of turns) for (const piece of pieces) pumps[stream].push(Buffer.from(piece));
    const stored = [await pumps.stdout.finish(), await pumps.stderr.finish()].filter((output) => output !== null);
    const text = order.asText();
    if (text !== null) {
      const sink = store.open(callId, 'order', MOST);
      await sink.write(Buffer.from(text));
      stored.push(await sink.finish());
    }
    journal.append([settled(callId, { storedOutputs: stored })]);
    live.push(...shown.end().map((row) => row.text));
    return { callId, pumps, live };
  };
  return { run, reader };
}

it('what the caller gets, what is shown live, “Show all” and Find agree with a real terminal, cut at every byte', async () => {
  const { run, reader } = opened();
  await fc.assert(
    fc.asyncProperty(fc.array(unit, { maxLength: 50 }), fc.boolean(), async (units, byteByByte) => {
      const bytes = Buffer.concat([...units, LAST]);
      const expected = await onTerminal(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
      const pieces = byteByByte ? Array.from(bytes, (byte) => Buffer.of(byte)) : [bytes];
      const { callId, pumps, live } = await run([['stdout', pieces]]);

      const { text: given } = pumps.stdout.ends.ends.render(MOST);
      expect(rowsOf(given).map(asSeen), 'the caller').toEqual(expected);
      expect(rowsOf(live.join('')).map(asSeen), 'live').toEqual(expected);

      for (const stream of ['both', 'stdout'] as const) {
        const window = await reader.outputWindow({ callId, stream }, 0, 5000);
        expect(window?.rows.map((row) => row.text).join('') ?? '', 'Show all').toBe(given);
        if (window !== null) expect(window.totalLines).toBe(expected.length);
        const found = await reader.searchOutput({ callId, stream }, 'NEEDLE', 0);
        const wanted = expected.flatMap((row, line) => [...row.matchAll(/needle/gu)].map(() => line));
        expect(found?.places.map(({ line }) => line) ?? []).toEqual(wanted);
        expect(found?.total ?? 0).toBe(wanted.length);
        for (const { line, at } of found?.places ?? [])
          expect(window?.rows[line]?.text.slice(at, at + 6)).toBe('needle');
      }
    }),
    { numRuns: 200 },
  );
}, 120_000);

it('both streams are drawn on the same rows, in the order in which they came', async () => {
  const { run, reader } = opened();
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.tuple(fc.constantFrom<OutputStreamName>('stdout', 'stderr'), fc.array(unit, { minLength: 1, maxLength: 6 })),
        { maxLength: 16 },
      ),
      async (turns) => {
        // An escape sequence of one stream does not go on in the other.
        const bytes = [...turns.flatMap(([, units]) => units), LAST];
        if (bytes.some((each) => UNREADABLE.includes(each))) return;
        const expected = await onTerminal(Buffer.concat(bytes).toString());
        const { callId } = await run([...turns, ['stdout', [LAST]]]);
        const window = await reader.outputWindow({ callId, stream: 'both' }, 0, 5000);
        expect(rowsOf(window?.rows.map((row) => row.text).join('') ?? '').map(asSeen)).toEqual(expected);
      },
    ),
    { numRuns: 150 },
  );
}, 120_000);

it('“Show all” of a long progress bar ends where the output ends, and Find marks the lines that hold the words', async () => {
  const { run, reader } = opened();
  const steps = Array.from({ length: 40_000 }, (_, step) => `\rstep ${step} of 40000 ${'#'.repeat(step % 60)}${ESC}[K`);
  const text = `first\n${steps.join('')}\nthen needle one\n${steps.slice(0, 20_000).join('')}\nneedle two, needle three\nlast\n`;
  const { callId, pumps } = await run([['stdout', [Buffer.from(text)]]]);
  expect(pumps.stdout.ends.ends.render(MOST).text).toBe(
    `first\nstep 39999 of 40000 ${'#'.repeat(39)}\nthen needle one\nstep 19999 of 40000 ${'#'.repeat(19)}\nneedle two, needle three\nlast\n`,
  );
  const window = await reader.outputWindow({ callId, stream: 'both' }, 3, 100);
  expect(window?.rows.map((row) => row.text.trim())).toEqual([
    `step 19999 of 40000 ${'#'.repeat(19)}`,
    'needle two, needle three',
    'last',
  ]);
  expect(window?.totalLines).toBe(6);
  expect(await reader.searchOutput({ callId, stream: 'both' }, 'needle', 0)).toEqual({
    places: [
      { line: 2, at: 5 },
      { line: 4, at: 0 },
      { line: 4, at: 12 },
    ],
    total: 3,
    complete: true,
  });
});
