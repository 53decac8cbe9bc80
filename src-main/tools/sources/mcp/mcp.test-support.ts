import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { JsonObject } from '#contract/vocabulary/json.js';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import { SOURCE_DEFAULTS, type SourceSettings } from '#contract/vocabulary/tools/sources.js';
import type { StoredOutput } from '../../../domain/call/outputs.js';
import type {
  Offer,
  OfferedOperation,
  Source,
  SourceAnswer,
  SourceInvocation,
} from '../../../domain/ports/sources/source.js';
import type { ServerQuestions } from '../../../domain/ports/sources/server-questions.js';
import { createOutside } from '../../../outside/outside-client.js';
import { createOutsideFetch } from '../../../outside/outside-fetch.js';
import { readDocument } from '../../../outside/read-document.js';
import { createSignInReturn } from '../../../outside/sign-in-return.js';
import { testOwnCode } from '../../../process/programs/own-code.test-support.js';
import { createPackages } from '../../../process/programs/packages.js';
import { openTestPrograms, type TestPrograms } from '../../../process/programs/programs.test-support.js';
import type { Clock } from '../../../domain/ports/clock.js';
import { systemClock } from '../../../platform/clock.js';
import { SourceHomes } from '../../../platform/data-folder/source-homes.js';
import { configWith } from '../../../process/process.test-support.js';
import { type AcceptedSource, NOTHING_ACCEPTED } from '../catalog/source-acceptance.js';
import { FollowedSource } from '../catalog/followed-source.js';
import { createMcpSource } from './mcp-source.js';
import { type TestKeeper, testKeeper } from './sign-in/keeper.test-support.js';

export interface TestSources extends AsyncDisposable {
  readonly programs: TestPrograms;
  /** Where tools may write. */
  openFolders: readonly string[];
  /** Follows a source as the catalog does, with what was accepted of it before. */
  follow(settings: Omit<SourceSettings, 'kind'>, accepted?: AcceptedSource): FollowedSource;
  /** The store of sign-ins. */
  readonly keeper: TestKeeper;
  /** Outputs of calls that were kept. */
  readonly kept: Uint8Array[];
  readonly progress: { readonly percent: number | null; readonly phase: string | null }[];
  open(settings: Omit<SourceSettings, 'kind'>, name?: string): Source;
  /** A server of a few lines, in a folder of its own. */
  script(source: string): Promise<Pick<SourceSettings, 'command' | 'args'>>;
  /** Calls a tool without asking for the offer before. */
  callAs(
    source: Source,
    operation: OfferedOperation | undefined,
    options?: Partial<SourceInvocation>,
  ): Promise<SourceAnswer>;
  call(source: Source, tool: string, args?: JsonObject, options?: Partial<SourceInvocation>): Promise<SourceAnswer>;
}

export interface TestSourceOptions {
  readonly questions?: ServerQuestions;
  /** Where programs are found. */
  readonly path?: string;
  readonly clock?: Pick<Clock, 'monotonic'>;
}

export async function openTestSources(
  secrets: Readonly<Record<string, string>> = {},
  registry = 'http://127.0.0.1:1/',
  { questions = NOBODY, path = process.env['PATH'] ?? '', clock = systemClock }: TestSourceOptions = {},
): Promise<TestSources> {
  const programs = await openTestPrograms({ PATH: path, HOME: '/nonexistent', LANG: 'C.UTF-8' });
  const config = configWith({ confinement: 'required' });
  const confinement = { available: true, problem: null };
  const keeper = testKeeper();
  const keys = { secret: (name: string) => secrets[name] ?? keeper.secret(name), variable: () => null };
  const outside = createOutside(keys);
  const code = testOwnCode({
    homes: () => [runner.outside],
    hidden: () => [runner.outputs, runner.workspace],
    writable: () => made.openFolders,
    copies: join(programs.runner.outputs, 'program-copies'),
  });
  const homes = new SourceHomes(join(programs.runner.outputs, 'sources'), (error) => expect.fail(String(error)));
  const sources: Source[] = [];
  const kept: Uint8Array[] = [];
  const progress: TestSources['progress'] = [];
  const { runner } = programs;
  let scripts = 0;
  const callAs: TestSources['callAs'] = (source, operation = NO_TOOL, more = {}) =>
    source.call({
      callId: 'call-1',
      operation,
      stillAccepted: () => undefined,
      args: {},
      config,
      folder: runner.workspace,
      terms: source.termsFor({ config, confinement, network: NOTHING_ALLOWED }, operation),
      signal: always,
      timeoutMs: 20_000,
      limits: {},
      outputLimit: 100_000,
      emit: () => Promise.resolve(),
      onProgress: (each) => progress.push(each),
      keep: (bytes): Promise<StoredOutput> => {
        kept.push(bytes);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        return Promise.resolve({ stream: 'stdout', sha256, bytes: bytes.length });
      },
      ...more,
    });
  const made: TestSources = {
    programs,
    openFolders: [runner.workspace],
    follow(settings, accepted = NOTHING_ACCEPTED) {
      return followedBy(made, settings, accepted);
    },
    keeper,
    kept,
    progress,
    open(settings, name = 'peer') {
      const source = createMcpSource({
        appVersion: '1.2.3',
        start: (request) => programs.held(request),
        find: programs.find,
        packages: createPackages({
          start: programs.held,
          folder: join(runner.outputs, 'packages'),
          registry,
          pythonIndex: `${registry}simple/`,
          read: (url, accept, signal) => readDocument(outside, url, accept, signal),
        }),
        code,
        homeOf: homes.of,
        valueOf: (reference) => {
          const value = reference.startsWith('secret:') ? secrets[reference.slice(7)] : undefined;
          return value === undefined ? { problem: 'There is none' } : { value };
        },
        fetchFor: (placeOf) => createOutsideFetch(outside, placeOf),
        questions,
        clock,
        signIns: { keeper, openReturn: createSignInReturn() },
        now: () => Promise.resolve({ config, confinement, folder: runner.workspace }),
      })({ name, settings: { ...SOURCE_DEFAULTS, kind: 'mcp', ...settings }, dataFolder: runner.outputs });
      sources.push(source);
      return source;
    },
    async script(text) {
      const file = join(runner.outside, `server-${(scripts += 1)}.mjs`);
      await writeFile(file, text);
      return { command: 'node', args: [file] };
    },
    callAs,
    async call(source, tool, args = {}, options = {}) {
      const offer = await source.offer(options.signal ?? always);
      const operation = offer.operations.find((each) => each.operation === tool);
      return callAs(source, operation ?? { ...NO_TOOL, operation: tool }, { args, ...options });
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(sources.map((source) => source.close()));
      outside.close();
      await programs[Symbol.asyncDispose]();
    },
  };
  return made;
}

const followedBy = (
  made: TestSources,
  settings: Omit<SourceSettings, 'kind'>,
  accepted: AcceptedSource,
): FollowedSource =>
  new FollowedSource({
    name: 'peer',
    settings: { ...SOURCE_DEFAULTS, kind: 'mcp', ...settings },
    source: made.open(settings),
    accepted,
    rules: () => ({ maxVersions: 5, warningDays: 90, now: 0 }),
    keep: () => undefined,
    keepOutput: () => Promise.reject(new Error('Nothing is kept.')),
    confinementTried: () => Promise.resolve(),
    mayBeWritten: (path) => made.openFolders.some((open) => path === open || path.startsWith(`${open}/`)),
    onChange: () => undefined,
  });

/** Answers as where nobody is there to answer. */
const NOBODY: ServerQuestions = {
  ask: () => Promise.resolve({ action: 'cancel' }),
  sample: () => Promise.resolve({ given: false, words: 'nobody is there' }),
};

/** An operation that was accepted once, whatever is offered now. */
export const NO_TOOL: OfferedOperation = {
  operation: '',
  toolId: null,
  version: '0.0.0',
  title: '',
  description: '',
  inputSchema: { type: 'object' },
  outputSchema: null,
  claims: { readOnly: false, destructive: true, idempotent: false, openWorld: true, requiresApproval: false },
  pinned: {},
  timeoutMs: null,
  lifecycle: null,
};

export const namesOf = (offer: Offer): readonly string[] => offer.operations.map(({ operation }) => operation);
export const always = new AbortController().signal;
