import { isDeepStrictEqual } from 'node:util';
import type { Config } from '#contract/vocabulary/config.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import {
  SOURCE_DEFAULTS,
  type SourceConfig,
  type SourceKind,
  type SourceSettings,
} from '#contract/vocabulary/tools/sources.js';
import { toVisibleLine } from '#contract/vocabulary/text/visible-text.js';
import type { StoredOutput } from '../../../domain/call/outputs.js';
import type { RegisteredTool } from '../../../domain/ports/gate/tool-lookup.js';
import { type MakeSource, type Source, SourceProblem } from '../../../domain/ports/sources/source.js';
import { foldName } from '../../../domain/tool/tool-identity.js';
import { assignModelNames, type WantedModelName } from '../../foreign/model-names.js';
import type { AcceptedSource, AcceptedTool, IsWritablePath } from './source-acceptance.js';
import { FollowedSource } from './followed-source.js';
import type { AcceptedToolState } from './offer-acceptance.js';
import type { GuardCall } from '../../../domain/ports/workspace/workspace-watch.js';
import type { IsDeniedPath } from './named-files.js';
import { createSourceTool } from './source-tool.js';

interface SourceCatalogDeps {
  readonly kinds: Partial<Readonly<Record<SourceKind, MakeSource>>>;
  readonly dataFolder: string;
  readonly registry: {
    replaceForeign(tools: readonly RegisteredTool[], absent: ReadonlyMap<string, Failure>): readonly RegisteredTool[];
  };
  readonly kept: { find(name: string): AcceptedSource; keep(name: string, accepted: AcceptedSource): void };
  readonly keepOutput: (callId: string, number: number, bytes: Uint8Array) => Promise<StoredOutput | null>;
  /** Resolves when it is known how programs are held here: what is started before that is started by a guess. */
  readonly confinementTried: () => Promise<void>;
  readonly mayBeWritten: IsWritablePath;
  readonly now: () => number;
  readonly isDenied: IsDeniedPath;
  readonly guardCall: GuardCall;
  /** Something that the window shows of a source is another. */
  readonly onChange: () => void;
}

/** The groups that the domain’s package names its tools by. */
export interface ReservedGroups {
  readonly domainId: string;
  readonly groups: ReadonlySet<string>;
}

/** A source as the person's settings describe it. */
export interface ConfiguredSource {
  readonly name: string;
  readonly settings: SourceSettings;
  /** Null where it is off, or can't be. */
  readonly followed: FollowedSource | null;
  /** Why there can be none. */
  readonly refused: string | null;
  /** The problem with its name, where that is why. */
  readonly nameConflict: string | null;
}

/** The sources of the settings: made, followed, and their accepted tools registered. */
export class SourceCatalog {
  readonly #parts: SourceCatalogDeps;
  #sources: readonly ConfiguredSource[] = [];
  #domain: ReservedGroups | null = null;
  #config: Pick<Config, 'sources' | 'registry'> | null = null;
  #rules: Config['registry'] = { max_versions_per_tool: 5, deprecation_warning_days: 90 };
  /** Names by toolId, of the tools that were registered last. */
  #names: ReadonlyMap<string, string | null> = new Map();
  readonly #builtTools = new WeakMap<FollowedSource, Map<string, RegisteredEntry>>();
  #registered: readonly RegisteredTool[] = [];
  #absent: ReadonlyMap<string, Failure> = new Map();
  #closing: Promise<unknown> = Promise.resolve();
  #hasBegun = false;

  constructor(parts: SourceCatalogDeps) {
    this.#parts = parts;
  }

  get all(): readonly ConfiguredSource[] {
    return this.#sources;
  }

  find(name: string): ConfiguredSource | null {
    return this.#sources.find((source) => source.name === name) ?? null;
  }

  readonly nameOf = (toolId: string): string | null => this.#names.get(toolId) ?? null;

  /** Follows the current settings: sources whose settings are the same go on. */
  follow(config: Pick<Config, 'sources' | 'registry'>): void {
    const { sources, registry } = config;
    this.#config = config;
    const sameRules = isDeepStrictEqual(registry, this.#rules);
    this.#rules = registry;
    const gone = new Map(this.#sources.map((source) => [source.name, source]));
    const anew: ConfiguredSource[] = [];
    this.#sources = Object.entries(sources).map(([name, settings]) => {
      const known = gone.get(name);
      const isSame = known?.nameConflict === this.findNameConflict(name) && isDeepStrictEqual(known.settings, settings);
      if (known !== undefined && sameRules && isSame) {
        gone.delete(name);
        return known;
      }
      const source = this.#createSource(name, settings);
      anew.push(source);
      return source;
    });
    for (const { followed } of gone.values()) if (followed !== null) void this.#closeSource(followed);
    this.#publish();
    if (this.#hasBegun) for (const source of anew) this.#refreshIfNeeded(source);
  }

  /** The domain’s tools have these names before their dots, so no source has. */
  reserveGroups(domain: ReservedGroups | null): void {
    if (isDeepStrictEqual(domain, this.#domain)) return;
    this.#domain = domain;
    if (this.#config !== null) this.follow(this.#config);
  }

  /** Why no source can be called so now; null where one can. */
  findNameConflict(name: string): string | null {
    return this.#domain?.groups.has(name) === true
      ? `The domain ${toVisibleLine(this.#domain.domainId, 100)} has tools of the group “${name}”. Give the source another name.`
      : null;
  }

  /** Lets sources be started from now on. Accepted tools are registered before. */
  begin(): void {
    this.#hasBegun = true;
    // What was never fetched is, when somebody waits for it: its page is open, or they press Start.
    for (const source of this.#sources)
      if (source.followed?.source.isToBeFetched !== true) this.#refreshIfNeeded(source);
  }

  /** Ends what runs for it, and resolves when it has ended. Its next call starts it again. */
  async stop(name: string): Promise<void> {
    const source = this.find(name);
    if (source === null || source.followed === null) return;
    const ended = this.#closeSource(source.followed);
    const anew = this.#createSource(name, source.settings);
    this.#sources = this.#sources.map((each) => (each === source ? anew : each));
    this.#publish();
    await ended;
  }

  async close(): Promise<void> {
    for (const { followed } of this.#sources) if (followed !== null) void this.#closeSource(followed);
    this.#sources = [];
    await this.#closing;
  }

  #createSource(name: string, settings: SourceSettings): ConfiguredSource {
    const config: SourceConfig = { ...SOURCE_DEFAULTS, ...settings };
    const nameConflict = this.findNameConflict(name);
    if (nameConflict !== null) return { name, settings, followed: null, refused: nameConflict, nameConflict };
    const make = this.#parts.kinds[config.kind];
    if (make === undefined)
      return {
        name,
        settings,
        followed: null,
        refused: `There are no sources of the kind “${config.kind}” in this version.`,
        nameConflict: null,
      };
    if (!config.enabled) return { name, settings, followed: null, refused: null, nameConflict: null };
    let source: Source;
    try {
      source = make({ name, settings: config, dataFolder: this.#parts.dataFolder });
    } catch (error) {
      if (!(error instanceof SourceProblem)) throw error;
      return { name, settings, followed: null, refused: error.message, nameConflict: null };
    }
    const followed = new FollowedSource({
      name,
      settings: config,
      source,
      accepted: this.#parts.kept.find(name),
      rules: () => ({
        maxVersions: this.#rules.max_versions_per_tool,
        warningDays: this.#rules.deprecation_warning_days,
        now: this.#parts.now(),
      }),
      keep: (accepted) => this.#parts.kept.keep(name, accepted),
      keepOutput: this.#parts.keepOutput,
      confinementTried: this.#parts.confinementTried,
      mayBeWritten: this.#parts.mayBeWritten,
      onChange: () => this.#publish(),
    });
    return { name, settings, followed, refused: null, nameConflict: null };
  }

  /**
   * Refreshes a source of which nothing is known, or that only has to be read. The others are asked when they are
   * called.
   */
  #refreshIfNeeded({ followed }: ConfiguredSource): void {
    if (followed === null) return;
    const { settings, accepted } = followed;
    const isRead = settings.file !== undefined || settings.manifest !== undefined;
    // What is another server by now is started when the person looks at it.
    const starts = settings.start === 'with-app' && !followed.isOtherServer;
    if (starts || accepted.server === null || isRead) void followed.refresh();
  }

  #closeSource(followed: FollowedSource): Promise<void> {
    const ended = followed.close();
    this.#closing = Promise.allSettled([this.#closing, ended]);
    return ended;
  }

  #publish(): void {
    const followed = this.#sources.flatMap(({ followed: each }) => each ?? []);
    const standing = followed.flatMap((source) => source.standing.map((tool) => ({ source, tool })));
    const accepted = new Map(
      standing.map(({ source, tool }) => [tool.accepted.toolId, toWantedName(source.name, tool.accepted.toolId)]),
    );
    const names = assignModelNames([...accepted.values()]);
    const tools = standing.flatMap(({ source, tool }) => {
      const name = names.get(tool.accepted.toolId) ?? null;
      return name === null ? [] : [this.#buildTool(source, tool, name)];
    });
    const absent = new Map<string, Failure>();
    const allNames = assignModelNames([
      ...accepted.values(),
      ...followed.flatMap(({ name, waiting }) =>
        waiting.filter(({ toolId }) => !accepted.has(toolId)).map(({ toolId }) => toWantedName(name, toolId)),
      ),
    ]);
    const taken = new Set([...names.values()].map((name) => foldName(name ?? '')));
    for (const { name: source, waiting } of followed)
      for (const { toolId, operation } of waiting) {
        const name = allNames.get(toolId) ?? null;
        if (name !== null && !taken.has(foldName(name)))
          absent.set(name, notAcceptedFailure(source, operation.operation));
      }
    this.#names = new Map([...allNames, ...names]);
    this.#register(tools, absent);
    this.#parts.onChange();
  }

  /**
   * Registers the tools where they differ: whoever advertises tools is told of that, and not of all else that happens
   * to a source.
   */
  #register(tools: readonly RegisteredTool[], absent: ReadonlyMap<string, Failure>): void {
    const isSame =
      tools.length === this.#registered.length &&
      tools.every((tool, at) => tool === this.#registered[at]) &&
      isDeepStrictEqual(absent, this.#absent);
    if (isSame) return;
    this.#registered = tools;
    this.#absent = absent;
    this.#parts.registry.replaceForeign(tools, absent);
  }

  /** The same object as long as it is the same tool: who compares, compares that. */
  #buildTool(source: FollowedSource, standing: AcceptedToolState, name: string): RegisteredTool {
    const { accepted, digest, stopped } = standing;
    const made = this.#builtTools.get(source) ?? new Map<string, RegisteredEntry>();
    this.#builtTools.set(source, made);
    const known = made.get(accepted.key);
    if (known?.name === name && known.accepted === accepted && isDeepStrictEqual(known.tool.stopped, stopped))
      return known.tool;
    const tool: RegisteredTool = {
      ...createSourceTool({
        isDenied: this.#parts.isDenied,
        guardCall: this.#parts.guardCall,
        source: source.name,
        accepted,
        name,
        digest,
        settings: source.settings,
        gets: (situation) => source.source.termsFor(situation, accepted.operation),
        bounds: source.source.bounds?.(accepted.operation) ?? null,
        call: (args, context) => source.call(accepted, args, context),
      }),
      stopped,
    };
    made.set(accepted.key, { accepted, name, tool });
    return tool;
  }
}

interface RegisteredEntry {
  readonly accepted: AcceptedTool;
  readonly name: string;
  readonly tool: RegisteredTool;
}

/** `<source>__<operation>`; what stands behind the source's name in the id is the operation. */
const toWantedName = (source: string, toolId: string): WantedModelName => ({
  id: toolId,
  name: `${source}__${toolId.slice(source.length + 1)}`,
});

const notAcceptedFailure = (source: string, operation: string): Failure => ({
  code: 'ToolChanged',
  message: `“${toVisibleLine(operation, 100)}” of “${source}” is new, and the user has not accepted it yet. They can do so in Gatehouse, under Tools.`,
});
