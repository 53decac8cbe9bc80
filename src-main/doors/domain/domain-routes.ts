import type { Domain, ServedDomain } from '../../domain/ports/sources/domain.js';
import Type from 'typebox';
import { answerWith, errorAnswer, ErrorSchema, type Route, route } from '../http/route.js';
import { AnySchema, CatalogSchema, DomainSchema } from './domain-schemas.js';
import { findTool, noDomain } from './found-tool.js';
import { runRoute, type RunDeps } from './run-route.js';

/** The routes by which a client finds a domain and its tools, and runs one. */
export function domainRoutes(side: RunDeps): readonly Route[] {
  return [...catalogRoutes(side.domain), runRoute(side)];
}

function catalogRoutes({ served }: Domain): readonly Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/v1/domain',
        operationId: 'getDomain',
        summary: 'Which domain is served, in which version',
        answers: {
          200: {
            description: 'Its identity: what is kept of its catalog is good for as long as this is the same.',
            schema: DomainSchema,
          },
          404: { description: 'No package is loaded.', schema: ErrorSchema },
        },
      },
      () => {
        const domain = served();
        return domain === null ? noDomain : answerWith(200, { domain_id: domain.domainId, version: domain.version });
      },
    ),
    route(
      {
        method: 'GET',
        path: '/v1/tools',
        operationId: 'listDomainTools',
        summary: 'The tools of the domain, sorted by their ids',
        answers: {
          200: { description: 'All of them.', schema: CatalogSchema },
          404: { description: 'No package is loaded.', schema: ErrorSchema },
        },
      },
      () => {
        const domain = served();
        return domain === null ? noDomain : answerWith(200, catalogOf(domain));
      },
    ),
    schemaRoute(served, 'input'),
    schemaRoute(served, 'output'),
  ];
}

const schemaRoute = (served: Domain['served'], which: 'input' | 'output'): Route =>
  route(
    {
      method: 'GET',
      path: `/v1/schemas/{tool_id}/${which}`,
      operationId: which === 'input' ? 'getInputSchema' : 'getOutputSchema',
      summary: which === 'input' ? 'What a tool of the domain takes' : 'What a tool of the domain gives',
      parameters: { tool_id: Type.String() },
      answers: {
        200: { description: 'Its JSON Schema.', schema: AnySchema },
        404: {
          description: 'No package is loaded, it has no such tool, or that has no such schema.',
          schema: ErrorSchema,
        },
      },
    },
    ({ parameters: { tool_id: id } }) => {
      const domain = served();
      if (domain === null) return noDomain;
      const schema = findTool(domain, id)?.[which === 'input' ? 'inputSchema' : 'outputSchema'] ?? null;
      return schema === null
        ? errorAnswer(404, 'NotFound', `There is no ${which} schema of a tool “${id.slice(0, 128)}” here.`)
        : answerWith(200, { ...schema });
    },
  );

const catalogOf = ({ domainId, version, tools }: ServedDomain) => ({
  domain_id: domainId,
  version,
  tools: tools.map((tool) => ({
    tool_id: tool.id,
    display_name: tool.displayName,
    description: tool.description,
    capabilities: [...tool.capabilities],
    timeout_sec: tool.timeoutSec,
    egress_allowlist: [...tool.egress],
    transport_type: 'http' as const,
    transport_endpoint: tool.transportEndpoint,
    input_schema_ref: tool.inputSchema === null ? null : `/v1/schemas/${tool.id}/input`,
    output_schema_ref: tool.outputSchema === null ? null : `/v1/schemas/${tool.id}/output`,
  })),
});
