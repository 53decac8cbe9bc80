import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Tool } from '../../../../domain/tool/tool.js';
import { noteTool } from '../../../builtin/tools.test-support.js';
import { assignOperationIds } from '../../../foreign/model-names.js';
import questions from './questions.json' with { type: 'json' };
import tools from './tools.json' with { type: 'json' };

type Sample = readonly [operation: string, description: string, parameters: readonly string[]];

/** Two hundred tools, as twenty-two sources describe theirs. */
const SAMPLES = tools as unknown as Readonly<Record<string, readonly Sample[]>>;

/** Sixty questions, each with the id of the tool that answers it. They were written before the descriptions. */
export const QUESTIONS = questions as unknown as readonly (readonly [question: string, id: string])[];

export const sampleTools = (): readonly Tool<never>[] =>
  Object.entries(SAMPLES).flatMap(([source, samples]) => samples.map((sample) => sourceTool(source, sample)));

/** The same again and again under other names, until there are so many of so many sources. */
export function manyTools(count: number, sources: number): readonly Tool<never>[] {
  const all = Object.values(SAMPLES).flat();
  return Array.from({ length: count }, (_, at) => {
    const [operation, description, parameters] = all[at % all.length] ?? ['nothing', 'Nothing.', []];
    const again = Math.floor(at / all.length);
    return sourceTool(`source-${at % sources}`, [`${operation}_${again}`, `${description} (${again})`, parameters]);
  });
}

/** A tool of another place: what it would do there is nobody’s business here. */
export function sourceTool(source: string, [operation, description, parameters]: Sample): Tool<never> {
  const [id] = assignOperationIds(source, [operation]);
  const properties = Object.fromEntries(parameters.map((name) => [name, { type: 'string', description: name }]));
  const inputSchema: JsonObject = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties,
    required: [],
    additionalProperties: false,
  };
  const tool = noteTool<'remote'>(
    {
      id: id ?? '',
      name: `${source}__${operation}`,
      title: operation,
      description,
      inputSchema,
      nature: 'remote',
      requiredCapabilities: ['upstream'],
      sideEffecting: true,
      openWorld: true,
    },
    { summary: () => `${source}: ${operation}` },
  );
  return tool as Tool<never>;
}
