import type { Config } from '#contract/vocabulary/config.js';
import { isJsonObject, type Json, type JsonObject } from '#contract/vocabulary/json.js';
import type { DefinedTool, DefinedTools, RefusedTool } from '../../domain/ports/gate/tool-lookup.js';
import { admitSchema } from './foreign-admission.js';
import { compared, modelNames, operationIds } from './model-names.js';

/** An underscore is in no source's name, so that no source can ever have this one. */
const GROUP = 'tools_definitions';
const VERSION = '0.0.0';
const LONGEST_DESCRIPTION = 4096;

/**
 * The person's own definitions, for parse-only mode. Nothing here runs them, so they are held to what others' tools are held to:
 * each has an id and a name that a model can take, and a schema that can be checked; one that has not is refused alone.
 */
export function admitDefinitions(
  definitions: Config['tools']['definitions'],
  isBuiltIn: (comparedName: string) => boolean,
): DefinedTools {
  const ids = operationIds(
    GROUP,
    definitions.map(({ name }) => name),
  );
  const admitted: DefinedTool[] = [];
  const refused: RefusedTool[] = [];
  const known = definitions.flatMap(({ name }, index) => {
    const id = ids[index];
    return id === undefined || id === null ? [] : [{ id, name }];
  });
  const names = modelNames(known);
  for (const [index, { name: own, description, parameters }] of definitions.entries()) {
    const id = ids[index] ?? null;
    const name = id === null ? null : (names.get(id) ?? null);
    const problems: string[] = [];
    if (id === null) problems.push('it stands in the list twice: the first one counts');
    else if (name === null) problems.push('its name can’t be told from another’s');
    else if (isBuiltIn(compared(name)) || isBuiltIn(compared(own)))
      problems.push('a tool that comes with Gatehouse has this name, and keeps it');
    const schema = admitSchema(isJsonObject(parameters) ? parameters : {});
    if (!schema.ok) problems.push(...schema.problems.map((problem) => `its schema (parameters) ${problem}`));
    if (problems.length > 0 || id === null || name === null || !schema.ok) {
      refused.push({ name: own, problems });
      continue;
    }
    const inputSchema = shownToModels(schema.schema);
    const words = withoutHidden(description).slice(0, LONGEST_DESCRIPTION);
    const identity = { id, version: VERSION, name };
    admitted.push({
      ...identity,
      ownName: own,
      checkInput: schema.checkInput,
      advertised: {
        ...identity,
        title: withoutHidden(own),
        description: words,
        inputSchema,
        outputSchema: null,
        declaration: null,
      },
    });
  }
  return { byName: new Map(admitted.map((tool) => [tool.name, tool])), refused };
}

/** Layout stays. What can't be seen can say to a model what no person reads. */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu;
const withoutHidden = (text: string): string => text.replaceAll(HIDDEN, '');

/** Only its words for readers: what is compared (names, patterns, constants) means what it says. */
function shownToModels(schema: JsonObject): JsonObject {
  const shown = (value: Json, key: string): Json => {
    if (typeof value === 'string') return WORDS.has(key) ? withoutHidden(value) : value;
    if (Array.isArray(value)) return value.map((child) => shown(child, ''));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, shown(child, name)]));
  };
  return shown(schema, '') as JsonObject;
}

const WORDS: ReadonlySet<string> = new Set(['title', 'description', '$comment']);
