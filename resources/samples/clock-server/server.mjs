// An MCP server over standard input and output, in one file: a JSON-RPC message a line.
import { createInterface } from 'node:readline';

const date = { type: 'string', description: 'A date as 2026-01-31.', pattern: '^\\d{4}-\\d{2}-\\d{2}$' };
const TOOLS = [
  {
    name: 'time_in',
    description: 'Says what time it is in a time zone.',
    inputSchema: {
      type: 'object',
      properties: { zone: { type: 'string', description: 'A time zone as Europe/Zurich.' } },
      required: ['zone'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'days_between',
    description: 'Counts the days from one date to another.',
    inputSchema: {
      type: 'object',
      properties: { from: date, to: date },
      required: ['from', 'to'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  },
];

const CALLS = {
  time_in: ({ zone }) =>
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'full', timeStyle: 'long' }).format(new Date()),
  days_between: ({ from, to }) => {
    const days = (Date.parse(to) - Date.parse(from)) / 86_400_000;
    if (Number.isNaN(days)) throw new Error('These are no dates.');
    return `${days} days`;
  },
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'clock', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: TOOLS }),
  'tools/call': ({ name, arguments: given }) => {
    try {
      return { content: [{ type: 'text', text: CALLS[name](given) }] };
    } catch (error) {
      return { content: [{ type: 'text', text: error.message }], isError: true };
    }
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = Object.hasOwn(answers, method)
    ? { result: answers[method](params ?? {}) }
    : { error: { code: -32601, message: `There is no ${method} here.` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
}
