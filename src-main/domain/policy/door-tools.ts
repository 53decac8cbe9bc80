import type { Failure } from '#contract/vocabulary/outcomes.js';
import { visibleLine } from '#contract/vocabulary/visible-text.js';
import type { Asker } from '../call/asker.js';
import type { RegisteredTool, ToolLookup } from '../ports/tool-lookup.js';
import type { ToolDeclaration } from '../tool/tool.js';

/** What of a tool the rules look at. */
export interface ToolSeen extends Pick<ToolDeclaration, 'name' | 'sideEffecting' | 'requiresApproval'> {
  /** In the set of the person's doors alone. */
  readonly personsOwn: boolean;
}

/** Each door has its set of tools: the person's reach every tool, all others those that are advertised. */
export const reaches = ({ person }: Asker, { personsOwn }: Pick<ToolSeen, 'personsOwn'>): boolean =>
  person || !personsOwn;

export function seenOf({ tool, advertised }: RegisteredTool): ToolSeen {
  const { name, sideEffecting, requiresApproval } = tool.declaration;
  return { name, sideEffecting, requiresApproval, personsOwn: advertised === null };
}

/** A tool as this asker finds it: what is outside its door's set does not exist for it, as if it were in no registry. */
export function toolFor(tools: ToolLookup, name: string, asker: Asker): RegisteredTool | null {
  const found = tools.lookup(name);
  return found !== null && reaches(asker, seenOf(found)) ? found : null;
}

export const unknownTool = (name: string): Failure => ({
  code: 'UnknownTool',
  message: `There is no tool “${visibleLine(name, 100)}”.`,
});
