import type { Door } from '#contract/vocabulary/calls.js';
import type { Asker } from '../call/asker.js';
import type { AdvertisedTool } from '../ports/gate.js';
import type { RegisteredTool, ToolLookup } from '../ports/tool-lookup.js';

/** Doors that only the person comes through. A new door does not compile before it is said whose it is. */
const PERSONS_OWN: Readonly<Record<Door, boolean>> = {
  window: true,
  compose: true,
  conversation: false,
  mcp: false,
  gateway: false,
};

/** Each door has its set of tools: the person's reach every tool, all others those that are advertised. */
const isWithinReach = (tool: RegisteredTool, { door }: Asker): boolean => PERSONS_OWN[door] || tool.advertised !== null;

/** A tool as this asker finds it: what is outside its door's set does not exist for it, as if it were in no registry. */
export function toolFor(tools: ToolLookup, name: string, asker: Asker): RegisteredTool | null {
  const found = tools.lookup(name);
  return found !== null && isWithinReach(found, asker) ? found : null;
}

/** There is such a tool, and this asker is not to know. */
export const isBeyondReach = (tools: ToolLookup, name: string, asker: Asker): boolean =>
  tools.lookup(name) !== null && toolFor(tools, name, asker) === null;

/** What is offered: without what would be denied whatever its arguments. Asked for all the same, that says why. */
export const offered = (tools: readonly AdvertisedTool[], denylist: readonly string[]): readonly AdvertisedTool[] =>
  tools.filter(({ name }) => !denylist.includes(name));
