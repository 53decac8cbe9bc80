/** A server in plain lines that asks in the midst of its one tool: what, its argument says; what it was answered is its result. */
export const ASKING_SERVER = `
import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const form = (properties, required = []) => ({ mode: 'form', message: 'Which one?', requestedSchema: { type: 'object', properties, required } });
const asks = {
  form: ['elicitation/create', form({ name: { type: 'string', title: 'Your name', default: 'Ada' }, count: { type: 'integer', minimum: 1, maximum: 9 }, kind: { type: 'string', enum: ['a', 'b'] }, yes: { type: 'boolean', default: true } }, ['name'])],
  secret: ['elicitation/create', form({ api_key: { type: 'string', title: 'API key' }, b: { type: 'string', title: 'Пароль' }, c: { type: 'string', description: '密码' }, d: { type: 'string', title: 'Name' } })],
  wanted: ['elicitation/create', { ...form({ a: { type: 'string', title: 'Answer' }, b: { type: 'string', enum: ['x'] } }), message: 'Wie lautet Ihr Passwort?' }],
  nested: ['elicitation/create', form({ deep: { type: 'object', properties: { a: { type: 'string' } } } })],
  many: ['elicitation/create', form(Object.fromEntries(Array.from({ length: 51 }, (_, at) => ['f' + at, { type: 'string' }])))],
  long: ['elicitation/create', { message: 'x'.repeat(5000), requestedSchema: { type: 'object', properties: {} } }],
  page: ['elicitation/create', { mode: 'url', message: 'Pay here', url: 'https://pay.example/x?y=1', elicitationId: 'e1' }],
  script: ['elicitation/create', { mode: 'url', message: 'Pay here', url: 'javascript:alert(1)', elicitationId: 'e1' }],
  named: ['elicitation/create', { mode: 'url', message: 'Pay here', url: 'https://me:word@pay.example/', elicitationId: 'e1' }],
  model: ['sampling/createMessage', { systemPrompt: 'You are brief.', maxTokens: 100, messages: [{ role: 'user', content: { type: 'text', text: 'Say “ready”.' } }] }],
  picture: ['sampling/createMessage', { maxTokens: 100, messages: [{ role: 'user', content: { type: 'image', data: 'AAAA', mimeType: 'image/png' } }] }],
  context: ['sampling/createMessage', { maxTokens: 100, includeContext: 'allServers', messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] }],
  huge: ['sampling/createMessage', { maxTokens: 1e9, messages: [{ role: 'user', content: { type: 'text', text: 'x'.repeat(300000) } }] }],
};
let last = 0;
const waiting = new Map();
const ask = (name) => new Promise((done) => {
  const [method, params] = asks[name];
  waiting.set('q' + (last += 1), done);
  send({ id: 'q' + last, method, params });
});
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? { error: error.message });
  if (method === 'initialize') return send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'asks', version: '1.0.0' } } });
  if (method === 'tools/list') return send({ id, result: { tools: [{ name: 'ask', inputSchema: { type: 'object', properties: { what: { type: 'string' }, times: { type: 'integer' } } } }] } });
  if (method !== 'tools/call') return id === undefined ? undefined : send({ id, error: { code: -32601, message: 'unknown' } });
  const { what, times = 1, quit, after } = params.arguments;
  const answers = Array.from({ length: times }, () => ask(what));
  if (quit) { send({ id, result: { content: [{ type: 'text', text: 'over' }] } }); return; }
  const said = await Promise.all(answers);
  send({ id, result: { content: [{ type: 'text', text: JSON.stringify(times === 1 ? said[0] : said) }] } });
  if (after) void ask(after).then((answer) => process.stderr.write(JSON.stringify(answer) + '\\n'));
});
`;
