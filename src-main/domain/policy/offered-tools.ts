import type { Config } from '#contract/vocabulary/config.js';
import { makeAsker } from '../call/asker.js';
import type { AdvertisedTool } from '../ports/gate/gate.js';
import type { ToolLookup } from '../ports/gate/tool-lookup.js';
import { CALL_TOOL, CALL_TOOL_DEFINITION, FIND_TOOLS_ID } from '../tool/call-tool.js';
import { isBuiltinTool } from '../tool/tool-identity.js';
import { isOffered } from './authorize.js';
import { findDefinedTool, judgedTool, type JudgedTool } from './judged-tool.js';

const anybody = makeAsker('mcp', '');

/** Whether programs may call it at all, whatever its arguments. */
export function isOfferedToPrograms(tools: ToolLookup, name: string, config: Config): boolean {
  const found = tools.lookup(name);
  const tool = found === null ? (name === CALL_TOOL ? JUDGED_CALL_TOOL : null) : judgedTool(found);
  const rules = { config, place: 'open', revoked: false, confirmation: null, approved: false } as const;
  return isOffered(anybody, { seen: 'name', name, tool, defined: findDefinedTool(tools, name, config) }, rules);
}

/** The tool that calls unlisted tools, as the rules see it. */
export const JUDGED_CALL_TOOL: JudgedTool = {
  name: CALL_TOOL_DEFINITION.name,
  id: CALL_TOOL_DEFINITION.id,
  version: CALL_TOOL_DEFINITION.version,
  sideEffecting: false,
  requiresApproval: false,
  personsOwn: false,
};

/**
 * FR-REG-03a: the registry when enabled, the person's own definitions too in parse-only mode, nothing when disabled. With more tools of
 * sources than are to be listed, of those only what was `used`, and how to come by the others. Where nothing runs, nothing could be looked
 * for, and all are listed.
 */
export function listOfferedTools(
  tools: ToolLookup,
  config: Config,
  used: ReadonlySet<string>,
): { readonly listed: readonly AdvertisedTool[]; readonly isShort: boolean } {
  const { mode, definitions, advertise_at_most: most } = config.tools;
  const offered = listToolsForPrograms(tools, config);
  if (mode === 'parse_only') {
    const own = [...tools.readDefined(definitions).byName.values()].map((tool) => tool.advertised);
    const ofThese = own.filter(({ name }) => isOfferedToPrograms(tools, name, config));
    return { listed: [...offered, ...ofThese].sort(byName), isShort: false };
  }
  const others = offered.filter(({ id }) => !isBuiltinTool(id)).length;
  if (others <= most) return { listed: offered, isShort: false };
  const ways = [...tools.listDefinitions().filter(({ id }) => id === FIND_TOOLS_ID), CALL_TOOL_DEFINITION];
  const listed = [
    ...offered.filter(({ id, name }) => isBuiltinTool(id) || used.has(name)),
    ...ways.filter(({ name }) => isOfferedToPrograms(tools, name, config)),
  ];
  return { listed: listed.sort(byName), isShort: true };
}

/** Cache of the offered tools by set and configuration: both are replaced as a whole where anything of them changes. */
const OFFERED_TOOLS = new WeakMap<readonly AdvertisedTool[], WeakMap<Config, readonly AdvertisedTool[]>>();

/** Lists all that programs may call, however many: the same array as long as nothing changed. */
export function listToolsForPrograms(tools: ToolLookup, config: Config): readonly AdvertisedTool[] {
  const all = tools.listDefinitions();
  const ofThese = OFFERED_TOOLS.get(all) ?? new WeakMap<Config, readonly AdvertisedTool[]>();
  OFFERED_TOOLS.set(all, ofThese);
  const offered =
    ofThese.get(config) ??
    all.filter(({ id, name }) => id !== FIND_TOOLS_ID && isOfferedToPrograms(tools, name, config));
  ofThese.set(config, offered);
  return offered;
}

const byName = (one: AdvertisedTool, other: AdvertisedTool): number => (one.name < other.name ? -1 : 1);
