import type { Config } from '#contract/vocabulary/config.js';
import { Listeners } from '../../platform/listeners.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { Nature } from '#contract/vocabulary/nature.js';
import type { Capability, ToolDeclaration, Tool } from '../../domain/tool/tool.js';
import { compareVersions, isToolId, isVersion, MAX_TOOL_ID } from '../../domain/tool/tool-identity.js';
import type { AdvertisedTool } from '../../domain/ports/gate/gate.js';
import type { DefinedTools, RegisteredTool, ToolLookup } from '../../domain/ports/gate/tool-lookup.js';
import { compileJsonValidator } from '../../platform/json-schema.js';
import { admitDefinitions } from './defined-tools.js';
import { describeMisfit } from '../foreign/describe-misfit.js';
import { foldName } from '../../domain/tool/tool-identity.js';
import { findSchemaProblems } from './schema-rules.js';
import { ANY_VERSION, parseRange } from '../../domain/tool/version-range.js';
import { type VersionChoice, chooseVersion } from './choose-version.js';

const TOOL_NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

/** Why nothing goes by these names, though a source has something by them. */
type AbsentNames = ReadonlyMap<string, Failure>;

export interface RegisterOptions {
  /** Tools for the window alone (undo) are looked up but never advertised. */
  readonly advertise: boolean;
}

/**
 * The registry of tools, by id and version; several versions of one tool are held side by side, and its name means the
 * highest. Tools can come and go; whoever advertises them is told.
 */
export class ToolRegistry implements ToolLookup {
  /** Versions by id, the highest first; never empty. */
  readonly #versions = new Map<string, readonly RegisteredTool[]>();
  /** Ids by name, in the form in which names are compared. */
  readonly #ids = new Map<string, string>();
  /** The ids of what sources brought, and of what the domain's package did. */
  readonly #foreign = { sources: new Set<string>(), domain: new Set<string>() };
  /** Names of sources’ tools by which nothing can be called. */
  #absent: AbsentNames = new Map();
  readonly #listeners = new Listeners();
  #definitions: readonly AdvertisedTool[] | null = null;
  /** Tools of the configuration that was asked about last. */
  #defined: { readonly of: Config['tools']['definitions']; readonly tools: DefinedTools } | null = null;

  /**
   * Admits one of our own tools. Throws with every problem named: a tool that declares itself wrongly never gets in.
   */
  register<Args>(tool: Tool<Args>, { advertise }: RegisterOptions = { advertise: true }): void {
    const { declaration } = tool;
    const { id, name } = declaration;
    const others = this.#versions.get(id) ?? [];
    const problems = [...findDeclarationProblems(declaration), ...this.#findClashes(declaration, others)];
    if (problems.length > 0) throw new Error(`The tool “${name}” can't be registered: ${problems.join('; ')}.`);
    const registered: RegisteredTool = {
      // The registry holds tools of every argument type; a tool is only ever given what its own `parse` made.
      tool,
      checkInput: createChecker(declaration.inputSchema, 'the arguments'),
      checkOutput: createChecker(declaration.outputSchema, 'the result'),
      advertised: advertise ? toAdvertisedTool(declaration) : null,
      stopped: null,
      warnings: [],
      lifecycle: 'active',
      insteadUse: null,
    };
    this.#versions.set(id, sortHighestFirst([...others, registered]));
    this.#ids.set(foldName(name), id);
    this.#changed();
  }

  /**
   * Admits tools that others define, all at once: earlier ones that are not among them are gone. Their schemas were
   * checked before. A tool whose name is taken is left out, and returned.
   */
  replaceForeign(tools: readonly RegisteredTool[], absent: AbsentNames): readonly RegisteredTool[] {
    this.#absent = absent;
    return this.#replace('sources', tools);
  }

  /** Admits the tools of the domain's package in the same way. */
  replaceDomain(tools: readonly RegisteredTool[]): readonly RegisteredTool[] {
    return this.#replace('domain', tools);
  }

  #replace(whose: 'sources' | 'domain', tools: readonly RegisteredTool[]): readonly RegisteredTool[] {
    const own = this.#foreign[whose];
    for (const id of own) {
      this.#ids.delete(foldName(this.#versions.get(id)?.[0]?.tool.declaration.name ?? ''));
      this.#versions.delete(id);
    }
    own.clear();
    const leftOut: RegisteredTool[] = [];
    for (const registered of tools) {
      const { id, name } = registered.tool.declaration;
      const isTaken = (this.#ids.get(foldName(name)) ?? id) !== id;
      if (isTaken || (this.#versions.has(id) && !own.has(id))) leftOut.push(registered);
      else {
        own.add(id);
        this.#ids.set(foldName(name), id);
        this.#versions.set(id, sortHighestFirst([...(this.#versions.get(id) ?? []), registered]));
      }
    }
    this.#changed();
    return leftOut;
  }

  lookup(name: string): RegisteredTool | null {
    const found = this.#resolve(name);
    return found?.ok === true ? found.tool : null;
  }

  explainAbsence(name: string): Failure | null {
    const found = this.#resolve(name);
    if (found !== null) return found.ok ? null : found.failure;
    return this.#absent.get(name) ?? null;
  }

  /** Resolves a name, or a name or id with the versions that are meant: `name@^2.1`. */
  #resolve(asked: string): VersionChoice | null {
    const at = asked.lastIndexOf('@');
    const name = at === -1 ? asked : asked.slice(0, at);
    const range = at === -1 ? ANY_VERSION : parseRange(asked.slice(at + 1));
    const id = this.#findId(name) ?? (at !== -1 && this.#versions.has(name) ? name : null);
    return id === null || range === null ? null : chooseVersion(name, this.#versions.get(id) ?? [], range);
  }

  lookupVersion(id: string, version: string): RegisteredTool | null {
    const found = this.#versions.get(id)?.find(({ tool }) => tool.declaration.version === version);
    return found === undefined || found.lifecycle === 'removed' ? null : found;
  }

  /** Every version of it, the highest first. */
  versionsOf(id: string): readonly RegisteredTool[] {
    return this.#versions.get(id) ?? [];
  }

  /** Sorted by name, made once, the same bytes every time. */
  listDefinitions(): readonly AdvertisedTool[] {
    this.#definitions ??= [...this.#versions.values()]
      .flatMap((versions) => {
        const chosen = chooseVersion('', versions, ANY_VERSION);
        return chosen.ok && chosen.tool.advertised !== null ? [chosen.tool.advertised] : [];
      })
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    return this.#definitions;
  }

  readDefined(definitions: Config['tools']['definitions']): DefinedTools {
    if (this.#defined?.of !== definitions)
      this.#defined = { of: definitions, tools: admitDefinitions(definitions, (name) => this.#isOffered(name)) };
    return this.#defined.tools;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Names are compared loosely so that none can pass for another, and called exactly. */
  #findId(name: string): string | null {
    const id = this.#ids.get(foldName(name));
    return id !== undefined && this.#versions.get(id)?.[0]?.tool.declaration.name === name ? id : null;
  }

  /**
   * Whether a tool of this name is offered. A tool for the window alone is in nobody's way: in the set of no other
   * door, nothing has its name.
   */
  #isOffered(comparedName: string): boolean {
    const id = this.#ids.get(comparedName);
    return id !== undefined && this.#versions.get(id)?.[0]?.advertised !== null;
  }

  #findClashes({ id, name, version }: ToolDeclaration, others: readonly RegisteredTool[]): readonly string[] {
    const problems: string[] = [];
    if (others.some(({ tool }) => tool.declaration.version === version))
      problems.push(`${id} is registered already in version ${version}`);
    if (others.some(({ tool }) => tool.declaration.name !== name)) problems.push(`${id} goes by another name already`);
    if ((this.#ids.get(foldName(name)) ?? id) !== id) problems.push('a tool of this name is registered already');
    return problems;
  }

  #changed(): void {
    this.#definitions = null;
    this.#defined = null;
    this.#listeners.tell();
  }
}

const sortHighestFirst = (versions: readonly RegisteredTool[]): readonly RegisteredTool[] =>
  versions.toSorted((one, other) => compareVersions(other.tool.declaration.version, one.tool.declaration.version));

function findDeclarationProblems(declaration: ToolDeclaration): readonly string[] {
  const problems: string[] = [];
  if (!TOOL_NAME.test(declaration.name)) problems.push('its name must be letters, digits, “_” and “-”, at most 64');
  if (!isToolId(declaration.id))
    problems.push(`its id must be <group>.<operation> of letters, digits, “_” and “-”, at most ${MAX_TOOL_ID} long`);
  if (!isVersion(declaration.version)) problems.push(`its version “${declaration.version}” is not a semantic version`);
  if (declaration.title === '' || declaration.description === '') problems.push('it has no title or description');
  problems.push(...findNatureProblems(declaration));
  if (Object.values(declaration.resourceLimits).some((limit) => !(limit > 0)))
    problems.push('its resource limits must be positive');
  for (const [which, schema] of [
    ['input', declaration.inputSchema],
    ['output', declaration.outputSchema],
  ] as const) {
    problems.push(...findSchemaProblems(schema).map((problem) => `${which} schema: ${problem}`));
  }
  return problems;
}

/**
 * The capability that a tool of each nature must ask for, and those that it may ask for besides: more would not be
 * handed to it.
 */
const CAPABILITIES: Readonly<
  Record<Nature, { readonly needs: Capability | null; readonly may: readonly Capability[] }>
> = {
  reads: { needs: null, may: ['filesystem.read'] },
  files: { needs: null, may: ['filesystem.read', 'filesystem.write'] },
  command: { needs: 'process.run', may: ['process.run', 'filesystem.read', 'filesystem.write', 'network'] },
  remote: { needs: 'upstream', may: ['upstream'] },
};

function findNatureProblems({
  nature,
  requiredCapabilities,
  sideEffecting,
  resourceLimits,
}: ToolDeclaration): readonly string[] {
  const { needs, may } = CAPABILITIES[nature];
  const beyond = requiredCapabilities.filter((capability) => !may.includes(capability));
  return [
    ...(needs === null || requiredCapabilities.includes(needs) ? [] : [`what is “${nature}” asks for ${needs}`]),
    ...beyond.map((capability) => `what is “${nature}” can’t ask for ${capability}`),
    ...(nature === 'command' || resourceLimits.maxMemory === undefined
      ? []
      : [`what is “${nature}” has no process of its own, so nothing could hold it to maxMemory`]),
    ...(nature === 'reads' && sideEffecting ? ['what only reads changes nothing'] : []),
  ];
}

function createChecker(schema: JsonObject, whole: 'the arguments' | 'the result'): (value: unknown) => string | null {
  const validate = compileJsonValidator(schema);
  return (value) => describeMisfit(validate(value), whole);
}

const toAdvertisedTool = (declaration: ToolDeclaration): AdvertisedTool => ({
  id: declaration.id,
  version: declaration.version,
  name: declaration.name,
  title: declaration.title,
  description: declaration.description,
  inputSchema: declaration.inputSchema,
  outputSchema: declaration.outputSchema,
  declaration,
});
