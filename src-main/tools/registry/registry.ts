import { Listeners } from '../../platform/listeners.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Nature } from '#contract/vocabulary/nature.js';
import type { Capability, ToolDeclaration, Tool } from '../../domain/tool/tool.js';
import type { AdvertisedTool } from '../../domain/ports/gate.js';
import type { RegisteredTool, ToolLookup } from '../../domain/ports/tool-lookup.js';
import { validatorOfJson } from '../../platform/json-schema.js';
import { schemaProblems } from './schema-rules.js';

const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;
// semver.org's own grammar, without build metadata, which would make two equal versions differ.
const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

export interface RegisterOptions {
  /** Tools for the window alone (undo) are looked up but never advertised. */
  readonly advertise: boolean;
}

/** Which tools there are. They can come and go; whoever advertises them is told. */
export class ToolRegistry implements ToolLookup {
  readonly #tools = new Map<string, RegisteredTool>();
  readonly #listeners = new Listeners();
  #definitions: readonly AdvertisedTool[] | null = null;

  /** Throws with every problem named: a tool that declares itself wrongly never gets in. */
  register<Args>(tool: Tool<Args>, { advertise }: RegisterOptions = { advertise: true }): void {
    const { declaration } = tool;
    const problems = [
      ...declarationProblems(declaration),
      ...(this.#tools.has(declaration.name) ? ['a tool of this name is registered already'] : []),
    ];
    if (problems.length > 0)
      throw new Error(`The tool “${declaration.name}” can't be registered: ${problems.join('; ')}.`);
    this.#tools.set(declaration.name, {
      // The registry holds tools of every argument type; a tool is only ever given what its own `parse` made.
      tool,
      checkInput: checker(declaration.inputSchema),
      checkOutput: checker(declaration.outputSchema),
      advertised: advertise ? advertisedForm(declaration) : null,
    });
    this.#changed();
  }

  unregister(name: string): void {
    if (this.#tools.delete(name)) this.#changed();
  }

  lookup(name: string): RegisteredTool | null {
    return this.#tools.get(name) ?? null;
  }

  /** Sorted by name, made once, the same bytes every time. */
  definitions(): readonly AdvertisedTool[] {
    this.#definitions ??= [...this.#tools.values()]
      .flatMap(({ advertised }) => (advertised === null ? [] : [advertised]))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
    return this.#definitions;
  }

  onChange(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  #changed(): void {
    this.#definitions = null;
    this.#listeners.tell();
  }
}

function declarationProblems(declaration: ToolDeclaration): readonly string[] {
  const problems: string[] = [];
  if (!NAME.test(declaration.name)) problems.push('its name must be letters, digits, “_” and “-”, at most 64');
  if (declaration.id === '') problems.push('it has no id');
  if (!VERSION.test(declaration.version))
    problems.push(`its version “${declaration.version}” is not a semantic version`);
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
  return (value) => {
    const checked = validate(value);
    if (checked.ok) return null;
    return checked.problems.map(({ path, message }) => `${path === '' ? 'the arguments' : path} ${message}`).join('; ');
  };
}

const advertisedForm = (declaration: ToolDeclaration): AdvertisedTool => ({
  name: declaration.name,
  title: declaration.title,
  description: declaration.description,
  inputSchema: declaration.inputSchema,
  outputSchema: declaration.outputSchema,
  declaration,
});
