import Type from 'typebox';
import { COMMANDS, EDITS, SECRETS, table } from './setting-types.js';

const ClientRule = table({
  name: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The name by which the agent introduces itself, without its version.',
  }),
  access: Type.Enum(['normal', 'ask', 'blocked'], {
    description: 'As your rules say, ask for every call of it, or let none of its calls run.',
  }),
  folders: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 4096 }), {
      description: 'The folders that it may work in, and what lies in them; absent means every open one.',
      maxItems: 100,
    }),
  ),
});

const AgentSettings = table({
  name: Type.String({ minLength: 1, maxLength: 100, description: 'The agent, by the name of its token.' }),
  commands: Type.Optional(Type.Enum([...COMMANDS], { description: 'Its commands; absent means as for all.' })),
  edits: Type.Optional(Type.Enum([...EDITS], { description: 'Its edits; absent means as for all.' })),
  secrets: Type.Optional(Type.Enum([...SECRETS], { description: 'Files that keep secrets; absent means as for all.' })),
  allow_absolute: Type.Optional(
    Type.Boolean({ description: 'Whether it may name absolute paths; absent means as for all.' }),
  ),
});

/** The settings of the gateway: who may come in, and what each agent may do. */
export const GatewaySettingsSchema = table({
  enabled: Type.Boolean({ description: 'Programs on this computer can send requests over HTTP.' }),
  port: Type.Integer({ minimum: 0, maximum: 65_535, description: '0 uses any free port.' }),
  clients: Type.Array(ClientRule, {
    description: 'What each agent may do.',
    maxItems: 200,
  }),
  agents: Type.Array(AgentSettings, {
    description: 'Agents that ask more or less often than the others.',
    maxItems: 200,
  }),
  when_client_leaves: Type.Enum(['cancel', 'keep'], {
    description: 'What happens to an agent’s waiting calls when it disconnects.',
  }),
  limits: table({
    sessions: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'Sessions one agent may have at the same time.',
    }),
    sheets: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'Requests of one agent that may wait for you.',
    }),
    recorded_mb_per_minute: Type.Integer({
      minimum: 1,
      maximum: 1_048_576,
      description: 'How much one agent may add to the history in a minute.',
    }),
  }),
});
