import { isJsonObject, type Json } from '#contract/vocabulary/json.js';
import type { AdvertisedTool, RequestedCall } from '../ports/gate/gate.js';

/**
 * Names for where there are too many tools to list: a tool that finds them, and a name to call those by that are not
 * listed.
 */
export const FIND_TOOLS = 'find_tools';
export const FIND_TOOLS_ID = 'gatehouse.find_tools';
export const CALL_TOOL = 'call_tool';

/**
 * The description of `call_tool`, which is no tool: a call by this name is a call of the tool that it names, from the
 * moment it comes in.
 */
export const CALL_TOOL_DEFINITION: AdvertisedTool = {
  id: 'gatehouse.call_tool',
  version: '1.0.0',
  name: CALL_TOOL,
  title: 'Call a tool',
  description:
    'Calls a tool that is not in this list, by the name that find_tools gave, with the arguments that it takes. Where they don’t fit, the ' +
    'error says what it takes. The call is asked about and recorded as one of that tool.',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, description: 'The tool’s name, as find_tools gave it.' },
      arguments: { type: 'object', description: 'Its arguments.' },
    },
    required: ['name', 'arguments'],
    additionalProperties: false,
  },
  outputSchema: null,
  declaration: null,
};

/**
 * The longest name that is recorded. No tool has a longer one; a request under a longer name is recorded under its
 * beginning.
 */
const MAX_TOOL_NAME = 200;

export const shortenToolName = (name: string): string =>
  name.length > MAX_TOOL_NAME ? `${name.slice(0, MAX_TOOL_NAME)}…` : name;

/**
 * Resolves the tool that is called, and its arguments: a request by `call_tool` is from the start one for the tool that
 * it names, where it names one.
 */
export function resolveCalledTool(call: Pick<RequestedCall, 'tool' | 'arguments'>): {
  readonly toolName: string;
  readonly rawArguments: Json;
  readonly through?: true;
} {
  const inner = call.tool === CALL_TOOL ? parseInnerCall(call.arguments) : null;
  const { tool, arguments: rawArguments } = inner ?? call;
  const toolName = shortenToolName(tool);
  return inner === null ? { toolName, rawArguments } : { toolName, rawArguments, through: true };
}

function parseInnerCall(given: Json): { readonly tool: string; readonly arguments: Json } | null {
  if (!isJsonObject(given)) return null;
  const { name } = given;
  if (typeof name !== 'string' || name === '') return null;
  const isMore = Object.keys(given).some((key) => key !== 'name' && key !== 'arguments');
  return isMore
    ? null
    : { tool: name, arguments: Object.hasOwn(given, 'arguments') ? (given['arguments'] ?? null) : {} };
}
