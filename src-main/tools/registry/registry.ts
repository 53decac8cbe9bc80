import type { Config } from '#contract/vocabulary/config.js';
import { Listeners } from '../../platform/listeners.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Nature } from '#contract/vocabulary/nature.js';
import type { Capability, ToolDeclaration, Tool } from '../../domain/tool/tool.js';
import { compareVersions, isToolId, isVersion, LONGEST_ID } from '../../domain/tool/tool-identity.js';
import type { AdvertisedTool } from '../../domain/ports/gate/gate.js';
import type { DefinedTools, RegisteredTool, ToolLookup } from '../../domain/ports/gate/tool-lookup.js';
import { validatorOfJson } from '../../platform/json-schema.js';
import { admitDefinitions } from './defined-tools.js';
import { inWords } from './misfit.js';
import { compared } from './model-names.js';
import { schemaProblems } from './schema-rules.js';

const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

export interface RegisterOptions {
  /** Tools for the window alone (undo) are looked up but never advertised. */
  readonly advertise: boolean;
}

/**
 * Which tools there are, by id and version; several versions of one tool stand side by side, and its name stands for the highest.
 * They can come and go; whoever advertises them is told.
 */
export class ToolRegistry implements ToolLookup {
  /** By id, the highest version first; never empty. */
  readonly #versions = new Map<string, readonly RegisteredTool[]>();
  /** By name as names are compared. */
  readonly #ids = new Map<string, string>();
  readonly #listeners = new Listeners();
  #definitions: readonly AdvertisedTool[] | null = null;
  /** Of the configuration that was asked about last. */
  #defined: { readonly of: Config['tools']['definitions']; readonly tools: DefinedTools } | null = null;

  /** The admission of our own tools. Throws with every problem named: one that declares itself wrongly never gets in. */
  register<Args>(tool: Tool<Args>, { advertise }: RegisterOptions = { advertise: true }): void {
    const { declaration } = tool;
    const { id, name, version } = declaration;
    const others = this.#versions.get(id) ?? [];
    const problems = [...declarationProblems(declaration), ...this.#clashes(declaration, others)];
    if (problems.length > 0) throw new Error(`The tool “${name}” can't be registered: ${problems.join('; ')}.`);
    const registered: RegisteredTool = {
      // The registry holds tools of every argument type; a tool is only ever given what its own `parse` made.
      tool,
      checkInput: checker(declaration.inputSchema),
      checkOutput: checker(declaration.outputSchema),
      advertised: advertise ? advertisedForm(declaration) : null,
    };
    const at = others.findIndex((other) => compareVersions(other.tool.declaration.version, version) < 0);
    this.#versions.set(id, others.toSpliced(at === -1 ? others.length : at, 0, registered));
    this.#ids.set(compared(name), id);
    this.#changed();
  }

  /** Every version of it. */
  unregister(name: string): void {
    const id = this.#idOf(name);
    if (id === null) return;
    this.#versions.delete(id);
    this.#ids.delete(compared(name));
    this.#changed();
  }

  lookup(name: string): RegisteredTool | null {
    const id = this.#idOf(name);
    return id === null ? null : (this.#versions.get(id)?.[0] ?? null);
  }

  exactly(id: string, version: string): RegisteredTool | null {
    return this.#versions.get(id)?.find(({ tool }) => tool.declaration.version === version) ?? null;
  }

  /** Sorted by name, made once, the same bytes every time. */
  definitions(): readonly AdvertisedTool[] {
    this.#definitions ??= [...this.#versions.values()]
      .flatMap(([highest]) => (highest === undefined || highest.advertised === null ? [] : [highest.advertised]))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    return this.#definitions;
  }

  defined(definitions: Config['tools']['definitions']): DefinedTools {
    if (this.#defined?.of !== definitions)
      this.#defined = { of: definitions, tools: admitDefinitions(definitions, (name) => this.#isOffered(name)) };
    return this.#defined.tools;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  /** Names are compared loosely so that none can pass for another, and called exactly. */
  #idOf(name: string): string | null {
    const id = this.#ids.get(compared(name));
    return id !== undefined && this.#versions.get(id)?.[0]?.tool.declaration.name === name ? id : null;
  }

  /** What is for the window alone is in nobody's way: in the set of no other door, nothing has its name. */
  #isOffered(comparedName: string): boolean {
    const id = this.#ids.get(comparedName);
    return id !== undefined && this.#versions.get(id)?.[0]?.advertised !== null;
  }

  #clashes({ id, name, version }: ToolDeclaration, others: readonly RegisteredTool[]): readonly string[] {
    const problems: string[] = [];
    if (others.some(({ tool }) => tool.declaration.version === version))
      problems.push(`${id} is registered already in version ${version}`);
    if (others.some(({ tool }) => tool.declaration.name !== name)) problems.push(`${id} goes by another name already`);
    if ((this.#ids.get(compared(name)) ?? id) !== id) problems.push('a tool of this name is registered already');
    return problems;
  }

  #changed(): void {
    this.#definitions = null;
    this.#defined = null;
    this.#listeners.tell();
  }
}

function declarationProblems(declaration: ToolDeclaration): readonly string[] {
  const problems: string[] = [];
  if (!NAME.test(declaration.name)) problems.push('its name must be letters, digits, “_” and “-”, at most 64');
  if (!isToolId(declaration.id))
    problems.push(`its id must be <group>.<operation> of letters, digits, “_” and “-”, at most ${LONGEST_ID} long`);
  if (!isVersion(declaration.version)) problems.push(`its version “${declaration.version}” is not a semantic version`);
  if (declaration.title === '' || declaration.description === '') problems.push('it has no title or description');
  problems.push(...natureProblems(declaration));
  if (Object.values(declaration.resourceLimits).some((limit) => !(limit > 0)))
    problems.push('its resource limits must be positive');
  for (const [which, schema] of [
    ['input', declaration.inputSchema],
    ['output', declaration.outputSchema],
  ] as const) {
    problems.push(...schemaProblems(schema).map((problem) => `${which} schema: ${problem}`));
    const invalid = compileProblem(schema);
    if (invalid !== null) problems.push(`${which} schema: ${invalid}`);
  }
  return problems;
}

/** What a tool of each nature has to ask for, and what it may ask for besides: more would not be handed to it. */
const CAPABILITIES: Readonly<
  Record<Nature, { readonly needs: Capability | null; readonly may: readonly Capability[] }>
> = {
  reads: { needs: null, may: ['filesystem.read'] },
  files: { needs: null, may: ['filesystem.read', 'filesystem.write'] },
  command: { needs: 'process.run', may: ['process.run', 'filesystem.read', 'filesystem.write', 'network'] },
  remote: { needs: 'upstream', may: ['upstream'] },
};

function natureProblems({ nature, requiredCapabilities, sideEffecting }: ToolDeclaration): readonly string[] {
  const { needs, may } = CAPABILITIES[nature];
  const beyond = requiredCapabilities.filter((capability) => !may.includes(capability));
  return [
    ...(needs === null || requiredCapabilities.includes(needs) ? [] : [`what is “${nature}” asks for ${needs}`]),
    ...beyond.map((capability) => `what is “${nature}” can’t ask for ${capability}`),
    ...(nature === 'reads' && sideEffecting ? ['what only reads changes nothing'] : []),
  ];
}

function compileProblem(schema: JsonObject): string | null {
  try {
    // The first check compiles it.
    validatorOfJson(schema)({});
    return null;
  } catch (error) {
    return `is not valid JSON Schema (${error instanceof Error ? error.message : 'unknown'})`;
  }
}

function checker(schema: JsonObject): (value: unknown) => string | null {
  const validate = validatorOfJson(schema);
  return (value) => inWords(validate(value));
}

const advertisedForm = (declaration: ToolDeclaration): AdvertisedTool => ({
  id: declaration.id,
  version: declaration.version,
  name: declaration.name,
  title: declaration.title,
  description: declaration.description,
  inputSchema: declaration.inputSchema,
  outputSchema: declaration.outputSchema,
  declaration,
});
