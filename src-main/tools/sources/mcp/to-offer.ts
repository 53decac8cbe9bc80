import type { Json, JsonObject } from '#contract/vocabulary/json.js';
import type { Offer, OfferedOperation, RefusedOperation } from '../../../domain/ports/sources/source.js';

export interface ServerIdentity {
  readonly name: string | null;
  readonly version: string | null;
}

/** Turns a list of tools, as a server sent it, into an offer. An entry that is no tool is refused alone. */
export function toOffer(server: ServerIdentity, tools: readonly unknown[]): Offer {
  const operations: OfferedOperation[] = [];
  const refused: RefusedOperation[] = [];
  const names = new Set<string>();
  for (const tool of tools) {
    const read = readTool(tool, readServerVersion(server.version));
    if (typeof read === 'string') {
      refused.push(refuseTool(readToolName(tool), read));
    } else if (names.has(read.operation)) {
      refused.push(refuseTool(read.operation, 'It has two of this name: the first one counts.'));
    } else {
      names.add(read.operation);
      operations.push(read);
    }
  }
  return { ownName: server.name, operations, refused };
}

const refuseTool = (what: string, reason: string): RefusedOperation => ({
  what,
  file: null,
  line: null,
  eCode: null,
  reason,
});

/** Why it is none, in a sentence. */
function readTool(tool: unknown, version: string): OfferedOperation | string {
  if (!isObject(tool)) return 'It is no object.';
  const { name, title, description, inputSchema, outputSchema } = tool;
  if (typeof name !== 'string' || name === '') return 'It has no name.';
  if (name.length > MAX_NAME_LENGTH) return 'Its name is longer than 1,000 characters.';
  if (description !== undefined && typeof description !== 'string') return 'Its description is no text.';
  if (!isObject(inputSchema)) return 'It does not say what its arguments are (inputSchema).';
  const annotations = isObject(tool['annotations']) ? tool['annotations'] : {};
  const ownTitle = typeof title === 'string' ? title : annotations['title'];
  const claims = (hint: string, otherwise: boolean): boolean =>
    typeof annotations[hint] === 'boolean' ? annotations[hint] : otherwise;
  const readOnly = claims('readOnlyHint', false);
  return {
    operation: name,
    toolId: null,
    version,
    title: typeof ownTitle === 'string' && ownTitle !== '' ? ownTitle : name,
    description: description ?? '',
    inputSchema,
    outputSchema: outputSchema ?? null,
    claims: {
      readOnly,
      destructive: !readOnly && claims('destructiveHint', true),
      idempotent: claims('idempotentHint', false),
      openWorld: claims('openWorldHint', true),
      requiresApproval: false,
    },
    pinned: {
      name,
      ...(typeof ownTitle === 'string' ? { title: ownTitle } : {}),
      description: description ?? '',
      inputSchema,
      ...(outputSchema === undefined ? {} : { outputSchema }),
      annotations,
    },
    timeoutMs: null,
    lifecycle: null,
  };
}

const MAX_NAME_LENGTH = 1000;

const readToolName = (tool: unknown): string =>
  isObject(tool) && typeof tool['name'] === 'string' ? tool['name'].slice(0, MAX_NAME_LENGTH) : '(without a name)';

/** Whether a value is an object; values that come are JSON. */
const isObject = (value: unknown): value is JsonObject & Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const readServerVersion = (version: string | null): string =>
  /^v?(\d{1,9}\.\d{1,9}\.\d{1,9})(?:[-+].*)?$/u.exec(version ?? '')?.[1] ?? '0.0.0';
