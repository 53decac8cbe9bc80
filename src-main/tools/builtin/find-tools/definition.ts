import Type, { type Static } from 'typebox';
import { MAX_QUERY_CHARACTERS } from '../../../domain/ports/gate/tool-finder.js';
import { FIND_TOOLS, FIND_TOOLS_ID } from '../../../domain/tool/call-tool.js';
import type { ToolFacts } from '../../define-tool.js';
import { controlCharactersRemoved, DIALECT, OWN_TOOL_LIMITS } from '../file-tool-parts.js';

const FindToolsInput = Type.Object(
  {
    query: Type.String({
      maxLength: MAX_QUERY_CHARACTERS,
      description: 'What is to be done, in your own words or in those of the tool.',
    }),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, default: 10, description: 'How many tools to give at most.' }),
    ),
  },
  DIALECT,
);

const Found = Type.Object(
  {
    name: Type.String({ description: 'What call_tool takes.' }),
    tool_id: Type.String({ description: 'What people’s rules call it.' }),
    description: Type.String({ description: 'What it says of itself.' }),
    source: Type.String({ description: 'Where it is from; gatehouse for those that come with Gatehouse.' }),
    score: Type.Number({ minimum: 0, maximum: 1, description: 'How well it answers.' }),
  },
  { additionalProperties: false, description: 'A tool that can be called.' },
);

const FindToolsResult = Type.Object(
  {
    tools: Type.Array(Found, { description: 'The best first.' }),
    search: Type.Optional(
      Type.Literal('words', { type: 'string', description: 'Only words were compared, and not what they mean.' }),
    ),
    warnings: Type.Optional(
      Type.Array(Type.String({ description: 'One of them.' }), { description: 'What went otherwise than it should.' }),
    ),
    controlCharactersRemoved,
  },
  DIALECT,
);

export type FindToolsResult = Static<typeof FindToolsResult>;

export const findTools: ToolFacts<'reads', typeof FindToolsInput, typeof FindToolsResult> = {
  id: FIND_TOOLS_ID,
  version: '1.0.0',
  name: FIND_TOOLS,
  title: 'Find tools',
  description:
    'Finds tools that are not in this list, by what is to be done. There are many more than are listed: look here before you say that ' +
    'something can’t be done. Call what it gives with call_tool.',
  nature: 'reads',
  takesBack: 'whole',
  input: FindToolsInput,
  output: FindToolsResult,
  requiredCapabilities: [],
  resourceLimits: OWN_TOOL_LIMITS,
  deterministic: false,
  idempotent: true,
  sideEffecting: false,
  requiresApproval: false,
  risk: 'low',
  openWorld: false,
  destructive: false,
};
