import { INSTRUCTIONS, listTool } from '../../doors/mcp/tool-listing.js';
import type { ToolDeclaration } from '../../domain/tool/tool.js';
import type { StoredToolList } from '../../platform/data-folder/pipe-lists.js';
import { applyPatch } from '../../tools/builtin/apply-patch/definition.js';
import { listDirectory } from '../../tools/builtin/list-directory/definition.js';
import { readFile } from '../../tools/builtin/read-file/definition.js';
import { writeFile } from '../../tools/builtin/write-file/definition.js';
import { toDeclaration } from '../../tools/define-tool.js';

/** The tools that the app offers as it comes, for an agent that was never told of any. */
export const builtInList = (): Omit<StoredToolList, 'place'> => ({
  tools: [
    toDeclaration(applyPatch),
    toDeclaration(listDirectory),
    toDeclaration(readFile),
    toDeclaration(writeFile),
  ].map((declaration: ToolDeclaration) => {
    const { id, version, name, title, description, inputSchema, outputSchema } = declaration;
    return listTool({ id, version, name, title, description, inputSchema, outputSchema, declaration }, 'enabled');
  }),
  instructions: INSTRUCTIONS.enabled,
});
