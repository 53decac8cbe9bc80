import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { app } from 'electron';
import type { RequestOf } from '#contract/window/channels.js';
import type { FoundSources, SampleSource } from '#contract/window/tools/pasted-sources.js';
import type { SourceSettings } from '#contract/vocabulary/tools/sources.js';
import type { PlanningSituation } from '../../domain/ports/gate/planner.js';
import { parseSettingValue } from '../../domain/outside/references.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { listSamples } from '../../platform/files/samples.js';
import { RecentReadings } from '../../tools/sources/pasted/recent-readings.js';
import { done, refuse } from '../../window/border/answers.js';
import type { Handlers } from '../../window/border/border.js';
import type { ComposedGate } from '../gate/gate.js';
import type { Shell } from '../shell.js';

interface OfferedSourcesDeps {
  readonly gate: ComposedGate;
  /** The list of sources: their names are taken. */
  readonly list: Handlers['sources.list'];
  readonly add: Handlers['sources.add'];
}

/** A folder's own files of servers. Nothing in them is started: they are offered. */
const FILES = ['.mcp.json', '.vscode/mcp.json', '.cursor/mcp.json'] as const;
const MAX_BYTES = 1_000_000;

/** Sources that stand somewhere already: in what is pasted, in an open folder, among the samples. */
export function offeredSourceChannels({ secrets, paths }: Shell, { gate, list, add }: OfferedSourcesDeps) {
  const readings = new RecentReadings();
  const read = async (text: string) => {
    const there = await list({});
    const taken = there.ok ? there.value.map(({ name }) => name) : [];
    return readings.read(text, { home: homedir(), taken, secretsTaken: secrets.view.names });
  };
  return {
    'sources.readPasted': async ({ text }) => {
      const reading = await read(text);
      return reading.ok ? done(reading.read) : refuse('bad-request', reading.problem);
    },
    'sources.found': async ({ workspace }) => {
      const situation = gate.situation(workspace);
      if (!situation.isOpen || situation.workspace === '')
        return refuse('not-found', 'This folder isn’t open any more.');
      const found: FoundSources[] = [];
      for (const path of FILES) {
        const text = await textIn(situation, path);
        if (text === null) continue;
        const reading = text.ok ? await read(text.text) : text;
        found.push({ path, read: reading.ok ? reading.read : null, problem: reading.ok ? null : reading.problem });
      }
      return done(found);
    },
    'sources.samples': async () =>
      done(
        listSamples(app.getAppPath(), join(paths.root, 'samples')).flatMap(({ folder, text }) =>
          sampleOf(folder, text),
        ),
      ),
    'sources.addRead': async ({ reading, sources, secrets: given }) => {
      const values = readings.valuesOf(reading);
      if (values === null) return refuse('not-found', 'Too much was read since. Read it again, and add it then.');
      const typed = withTyped(sources, given);
      const answer = await add({ sources: typed.sources, secrets: withValues(typed.sources, typed.given, values) });
      if (answer.ok) readings.forget(reading);
      return answer;
    },
  } satisfies Partial<Handlers>;
}

type AddRead = RequestOf<'sources.addRead'>;

/** Where the person wrote `env:NAME` or `secret:name` in place of a key, that is what the settings name. */
function withTyped(
  sources: AddRead['sources'],
  given: AddRead['secrets'],
): Pick<AddRead, 'sources'> & { readonly given: AddRead['secrets'] } {
  const written = new Map<string, string>(
    given.flatMap(({ name, value }) => {
      const read = parseSettingValue(value.trim());
      return read?.kind === 'reference' && read.prefix === '' ? [[`secret:${name}`, read.from] as const] : [];
    }),
  );
  const table = (of: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(of).map(([key, value]) => {
        const read = parseSettingValue(value);
        const instead = read?.kind === 'reference' ? written.get(read.from) : undefined;
        return [key, instead === undefined || read?.kind !== 'reference' ? value : `${read.prefix}${instead}`];
      }),
    );
  return {
    sources: sources.map(({ name, settings }) => ({
      name,
      settings: {
        ...settings,
        ...(settings.env === undefined ? {} : { env: table(settings.env) }),
        ...(settings.headers === undefined ? {} : { headers: table(settings.headers) }),
      },
    })),
    given: given.filter(({ name }) => !written.has(`secret:${name}`)),
  };
}

/** The secrets that these settings name: what the person gave, else what stood in the text. */
function withValues(
  sources: AddRead['sources'],
  given: AddRead['secrets'],
  values: ReadonlyMap<string, string>,
): AddRead['secrets'] {
  const text = sources.flatMap(({ settings: { env = {}, headers = {} } }) => [
    ...Object.values(env),
    ...Object.values(headers),
  ]);
  const named = new Set(text.flatMap((value) => /(?:^|\s)secret:(\S+)$/u.exec(value)?.[1] ?? []));
  const stood = [...values].flatMap(([name, value]) =>
    named.has(name) && !given.some((each) => each.name === name) ? [{ name, value }] : [],
  );
  return [...given, ...stood];
}

type TextIn = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: string };

/** Reads a file through the sandbox; null where nothing is there. */
async function textIn({ sandbox }: PlanningSituation, asked: string): Promise<TextIn | null> {
  try {
    const path = await sandbox.validate(asked);
    if ((await sandbox.facts(path)) === null) return null;
    await using file = await sandbox.openFile(path);
    const buffer = Buffer.alloc(Math.min(file.facts.size, MAX_BYTES) + 1);
    let length = 0;
    for (let got = -1; got !== 0 && length < buffer.length; length += got) {
      got = await file.read(buffer.subarray(length), length);
    }
    if (length > MAX_BYTES) return { ok: false, problem: `${asked} is longer than 1 MB, which no settings are.` };
    return { ok: true, text: new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, length)) };
  } catch (error) {
    if (error instanceof ToolFailure) return { ok: false, problem: error.failure.message };
    if (error instanceof TypeError) return { ok: false, problem: `${asked} is no text in UTF-8.` };
    throw error;
  }
}

/** Parses a sample. What it says of itself is our own text; its paths are relative to its folder. */
function sampleOf(folder: string, text: string): readonly SampleSource[] {
  const { title, about, settings, start } = JSON.parse(text) as Omit<SampleSource, 'id'>;
  return [{ id: basename(folder), title, about, settings: atHome(settings, folder), start: startedAt(start, folder) }];
}

/** Words that begin with `./` are of its folder. */
const startedAt = (start: SampleSource['start'], folder: string): SampleSource['start'] =>
  start === null ? null : start.map((word) => (word.startsWith('./') ? join(folder, word) : word));

const PATHS = ['file', 'manifest', 'cwd'] as const;

function atHome(settings: SourceSettings, folder: string): SourceSettings {
  const absolute = PATHS.flatMap((key) => {
    const path = settings[key];
    return path === undefined ? [] : [[key, join(folder, path)] as const];
  });
  return { ...settings, ...Object.fromEntries(absolute) };
}
