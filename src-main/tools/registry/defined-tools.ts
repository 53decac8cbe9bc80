import type { Config } from '#contract/vocabulary/config.js';
import { isJsonObject } from '#contract/vocabulary/json.js';
import type { DefinedTool, DefinedTools, RefusedTool } from '../../domain/ports/gate/tool-lookup.js';
import { CALL_TOOL } from '../../domain/tool/call-tool.js';
import { admitSchema } from '../foreign/foreign-admission.js';
import { foldName } from '../../domain/tool/tool-identity.js';
import { assignModelNames, assignOperationIds } from '../foreign/model-names.js';
import { toModelDescription, toModelSchema, removeHidden } from '../foreign/model-texts.js';

/** An underscore is in no source's name, so that no source can ever have this one. */
const GROUP = 'tools_definitions';
const VERSION = '0.0.0';

/**
 * The person's own definitions, for parse-only mode. Nothing here runs them, so they are held to what others' tools are held to:
 * each has an id and a name that a model can take, and a schema that can be checked; one that has not is refused alone.
 */
export function admitDefinitions(
  definitions: Config['tools']['definitions'],
  isBuiltIn: (comparedName: string) => boolean,
): DefinedTools {
  const ids = assignOperationIds(
    GROUP,
    definitions.map(({ name }) => name),
  );
  const admitted: DefinedTool[] = [];
  const refused: RefusedTool[] = [];
  const known = definitions.flatMap(({ name }, index) => {
    const id = ids[index];
    return id === undefined || id === null ? [] : [{ id, name }];
  });
  const names = assignModelNames(known);
  const isTaken = (name: string): boolean => name === CALL_TOOL || isBuiltIn(name);
  for (const [index, { name: own, description, parameters }] of definitions.entries()) {
    const id = ids[index] ?? null;
    const name = id === null ? null : (names.get(id) ?? null);
    const problems: string[] = [];
    if (id === null) problems.push('it stands in the list twice: the first one counts');
    else if (name === null) problems.push('its name can’t be told from another’s');
    else if (isTaken(foldName(name)) || isTaken(foldName(own)))
      problems.push('a tool that comes with Gatehouse has this name, and keeps it');
    const schema = admitSchema(isJsonObject(parameters) ? parameters : {});
    if (!schema.ok) problems.push(...schema.problems.map((problem) => `its schema (parameters) ${problem}`));
    if (problems.length > 0 || id === null || name === null || !schema.ok) {
      refused.push({ name: own, problems });
      continue;
    }
    const inputSchema = toModelSchema(schema.schema);
    const words = toModelDescription(description);
    const identity = { id, version: VERSION, name };
    admitted.push({
      ...identity,
      ownName: own,
      checkInput: schema.checkInput,
      advertised: {
        ...identity,
        title: removeHidden(own),
        description: words,
        inputSchema,
        outputSchema: null,
        declaration: null,
      },
    });
  }
  return { byName: new Map(admitted.map((tool) => [tool.name, tool])), refused };
}
