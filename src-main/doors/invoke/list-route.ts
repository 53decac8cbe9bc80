import { MAX_QUERY_CHARACTERS } from '../../domain/ports/gate/tool-finder.js';
import type { CatalogTool } from '../../domain/ports/gate/tool-catalog.js';
import { answerWith, type Route, route } from '../http/route.js';
import { refused } from './answers.js';
import { malformed, REFUSED } from './invoke-route.js';
import type { InvokeDeps } from './invoke-deps.js';
import { sessionOf } from '../claims.js';
import { claimsIn, namesAnother } from './agent-context.js';
import { type ListRequest, ListRequestSchema, ListResponseSchema, type ToolSummary } from './tool-schemas.js';

const USUAL_PAGE = 20;

export function listRoute(parts: Pick<InvokeDeps, 'catalog' | 'folders' | 'finder'>): Route {
  return route(
    {
      method: 'POST',
      path: '/v1/tool/list',
      operationId: 'listTools',
      summary: 'Which tools there are',
      body: ListRequestSchema,
      answers: { 200: { description: 'One page.', schema: ListResponseSchema }, ...REFUSED },
      onMalformed: malformed,
    },
    async ({ body, bearer }) => {
      const { page: asked, page_size: size } = body.pagination ?? {};
      const page = asked ?? 1;
      const pageSize = size ?? USUAL_PAGE;
      const none = { tools: [], total_count: 0, page, page_size: pageSize, warnings: [] };
      if (namesAnother(bearer, body.agent_context ?? null)) {
        const { error } = refused('permission_denied', 'agent_context.agent_did names another agent.', {
          ours: 'NotPermitted',
        });
        return answerWith(200, { ...none, status: 'permission_denied', error });
      }
      const folder = await parts.folders.now(sessionOf(bearer, claimsIn(body.agent_context ?? null)), bearer);
      const fitting = parts.catalog.listTools(folder).filter((tool) => fits(tool, body.filters));
      const found = await rankTools(fitting, body.capability_query ?? null, parts);
      const from = (page - 1) * pageSize;
      return answerWith(200, {
        ...none,
        tools: found.tools.slice(from, from + pageSize),
        total_count: found.tools.length,
        warnings: found.warnings,
        ...(found.search === undefined ? {} : { search: found.search }),
      });
    },
  );
}

function fits({ category, tags, source, versions }: CatalogTool, filters: ListRequest['filters']): boolean {
  const { category: c = null, tags: t = null, source: s = null, state = null } = filters ?? {};
  const wanted = t === null ? [] : typeof t === 'string' ? [t] : t;
  return (
    (c === null || category === c) &&
    (s === null || source === s) &&
    wanted.every((tag) => tags.includes(tag)) &&
    (state === null || versions.some((each) => each.state === state))
  );
}

interface RankedTools {
  readonly tools: readonly ToolSummary[];
  readonly warnings: readonly string[];
  readonly search?: string;
}

/** Ranks the tools by a query, best first; without one they stay as they are. */
async function rankTools(
  tools: readonly CatalogTool[],
  query: string | null,
  { finder }: Pick<InvokeDeps, 'finder'>,
): Promise<RankedTools> {
  if (query === null) return { tools: tools.map((tool) => summaryOf(tool)), warnings: [] };
  const byId = new Map(tools.map((each) => [each.tool.id, each]));
  const found = await finder.find(query.slice(0, MAX_QUERY_CHARACTERS), byId.size, ({ id }) => byId.has(id));
  return {
    tools: found.tools.flatMap(({ toolId, score }) => {
      const tool = byId.get(toolId);
      return tool === undefined ? [] : [{ ...summaryOf(tool), score }];
    }),
    warnings: found.problem === null ? [] : [`E3005: Only words were compared. ${found.problem}`],
    ...(found.by === 'words' ? { search: 'words' } : {}),
  };
}

function summaryOf({ tool, category, tags, source, versions }: CatalogTool): ToolSummary {
  const { id, name, description, version, declaration } = tool;
  return {
    tool_id: id,
    tool_name: name,
    description,
    category,
    versions: versions.map((each) => each.version),
    latest_version: version,
    tags: [...tags],
    requires_approval: declaration?.requiresApproval ?? true,
    source,
    deprecation: versions
      .filter(({ state }) => state !== 'active')
      .map(({ version: which, state, date, use }) => ({ version: which, state, date, use })),
  };
}
