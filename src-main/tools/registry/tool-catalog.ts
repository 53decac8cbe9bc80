import type { Config } from '#contract/vocabulary/config.js';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import { listToolsForPrograms } from '../../domain/policy/offered-tools.js';
import type { AdvertisedTool } from '../../domain/ports/gate/gate.js';
import type { CatalogTool, Misfit, ToolCatalog } from '../../domain/ports/gate/tool-catalog.js';
import type { RegisteredTool } from '../../domain/ports/gate/tool-lookup.js';
import { getToolSource } from '../../domain/tool/tool-identity.js';
import { compileForeignValidator, type SchemaProblem, type Validator } from '../../platform/json-schema.js';
import type { ToolRegistry } from './registry.js';

/**
 * Lists the tools that programs may call, with their versions. Entries are cached for as long as their tools are the
 * same.
 */
export class RegistryCatalog implements ToolCatalog {
  readonly #registry: ToolRegistry;
  readonly #config: (folder: string) => Config;
  readonly #made = new WeakMap<readonly AdvertisedTool[], readonly CatalogTool[]>();
  readonly #validators = new WeakMap<JsonObject, Validator<JsonObject> | null>();

  constructor(registry: ToolRegistry, config: (folder: string) => Config) {
    this.#registry = registry;
    this.#config = config;
  }

  listTools(folder: string): readonly CatalogTool[] {
    const offered = listToolsForPrograms(this.#registry, this.#config(folder));
    const made = this.#made.get(offered) ?? offered.map((tool) => this.#toolOf(tool));
    this.#made.set(offered, made);
    return made;
  }

  findTool(folder: string, asked: string): CatalogTool | null {
    return this.listTools(folder).find(({ tool: { id, name } }) => id === asked || name === asked) ?? null;
  }

  findMisfits(folder: string, asked: string, args: JsonObject): readonly Misfit[] {
    const schema = this.findTool(folder, asked)?.tool.inputSchema;
    const checked = schema === undefined ? undefined : this.#validatorOf(schema)?.(args);
    if (schema === undefined || checked === undefined || checked.ok) return [];
    return checked.problems.map((problem) => toMisfit(problem, schema));
  }

  #validatorOf(schema: JsonObject): Validator<JsonObject> | null {
    const known = this.#validators.get(schema);
    if (known !== undefined) return known;
    const made = compileForeignValidator(schema);
    const validator = made.ok ? made.validate : null;
    this.#validators.set(schema, validator);
    return validator;
  }

  #toolOf(tool: AdvertisedTool): CatalogTool {
    const versions = this.#registry.versionsOf(tool.id);
    const about = versions.find((each) => each.advertised === tool)?.about;
    return {
      tool,
      source: getToolSource(tool.id),
      category: about?.category ?? '',
      tags: about?.tags ?? [],
      versions: versions.filter(({ lifecycle }) => lifecycle !== 'removed').map(toCatalogVersion),
    };
  }
}

const toCatalogVersion = ({ tool, lifecycle, insteadUse, about }: RegisteredTool): CatalogTool['versions'][number] => ({
  version: tool.declaration.version,
  state: lifecycle,
  date: about?.deprecationDate ?? null,
  use: insteadUse,
});

/** Describes one problem. A missing value gets the pointer to where it would be. */
function toMisfit({ path, message }: SchemaProblem, schema: JsonObject): Misfit {
  const missing = /^must have required property '(.+)'$/u.exec(message)?.[1];
  const unknown = /^has “(.+)”, which is not known here$/u.exec(message)?.[1];
  const names = [...(path === '' ? [] : path.split('.')), ...(missing === undefined ? [] : [missing])];
  const whole = unknown === undefined ? names : [...names, unknown];
  const said = missing === undefined ? message : 'is missing';
  const there = findSchema(schema, names);
  const allowed = Array.isArray(there?.['enum']) ? there['enum'] : undefined;
  return {
    at: whole.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    message: said,
    ...(allowed === undefined ? {} : { allowed }),
  };
}

function findSchema(schema: JsonObject, names: readonly string[]): JsonObject | undefined {
  let at: Json | undefined = schema;
  for (const name of names) {
    if (at === undefined || !isJsonObject(at)) return undefined;
    const properties: Json | undefined = at['properties'];
    at =
      /^\d+$/u.test(name) && at['items'] !== undefined
        ? at['items']
        : isJsonObject(properties ?? null)
          ? (properties as JsonObject)[name]
          : undefined;
  }
  return at !== undefined && isJsonObject(at) ? at : undefined;
}
