import type { Tool as McpTool } from '@modelcontextprotocol/server';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { ToolsMode } from '#contract/window/app-events.js';
import type { AdvertisedTool } from '../../domain/ports/gate/gate.js';
import { isBuiltinTool } from '../../domain/tool/tool-identity.js';
import { schemaWithText } from '../structured-text.js';

/** The listed form of each tool, made once for each mode: a tool's look does not change. */
const listed = new WeakMap<AdvertisedTool, Partial<Record<ToolsMode, McpTool>>>();

export function listTool(tool: AdvertisedTool, mode: ToolsMode): McpTool {
  const known = listed.get(tool) ?? {};
  listed.set(tool, known);
  return (known[mode] ??= buildListedTool(tool, mode));
}

/** Adds the folder to the description of a tool that works in one: its agent may have been started elsewhere. */
export function addFolder(tool: McpTool, { id }: AdvertisedTool, folder: string): McpTool {
  if (folder === '' || !isBuiltinTool(id)) return tool;
  return { ...tool, description: `${tool.description ?? ''} The workspace is ${folder}.` };
}

/**
 * Builds a tool as `tools/list` has it. Annotations say what the declaration says; without one, the protocol's own
 * defaults apply.
 */
function buildListedTool(tool: AdvertisedTool, mode: ToolsMode): McpTool {
  const { declaration } = tool;
  // A person who answers by hand writes text: a promised structure would make clients reject it.
  const outputSchema = mode === 'enabled' ? promisedOutputSchema(tool) : null;
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: tool.inputSchema as McpTool['inputSchema'],
    ...(outputSchema === null ? {} : { outputSchema }),
    ...(declaration === null
      ? {}
      : {
          annotations: {
            title: declaration.title,
            readOnlyHint: !declaration.sideEffecting,
            destructiveHint: declaration.destructive,
            idempotentHint: declaration.idempotent,
            openWorldHint: declaration.openWorld,
          },
        }),
  };
}

/** The output schema that is promised. A tool that runs elsewhere gives what its own schema says. */
function promisedOutputSchema({ declaration, outputSchema }: AdvertisedTool): JsonObject | null {
  if (declaration?.nature !== 'remote') return schemaWithText(outputSchema);
  return outputSchema?.['type'] === 'object' ? outputSchema : null;
}

/** The instructions that a model is given once, at the beginning. */
export const INSTRUCTIONS: Readonly<Record<ToolsMode, string>> = {
  enabled:
    'These tools act on a person’s workspace through Gatehouse. Some calls run at once, others wait until the person ' +
    'decides; a waiting call is not a failed one, so wait for its result and do not repeat it. A denied call says why: ' +
    'do something else, or ask the person. Paths are relative to the workspace.',
  parse_only:
    'Gatehouse is in parse-only mode: it runs nothing. Each call is shown to the person, who supplies its result by ' +
    'hand. Wait for it; it may take a while.',
  disabled:
    'Tools are disabled in Gatehouse: none are offered, and every call is refused. The person can enable them in ' +
    'Gatehouse’s settings.',
};
