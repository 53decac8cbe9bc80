import type { ClientTest } from '#contract/window/clients.js';
import { isJsonObject, type JsonObject } from '#contract/vocabulary/json.js';
import type { StartCommand, StartedCommand } from '../domain/ports/started-command.js';
import { TEST_CALL, TEST_CALL_VARIABLE } from '../domain/tool/test-call.js';
import type { ClientToolReport } from './asking/ask-client.js';
import type { Launch } from './table/spec.js';

export interface TestCallOptions {
  readonly start: StartCommand;
  /** An open folder that a client could be in; null while none is open. */
  readonly folder: string | null;
  readonly home: string;
  /** The word by which the app knows that the window started it. */
  readonly word: string;
  /** Our environment, of which a client hands on little. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly patienceMs: number;
}

/** The variables that clients hand on to a server: not all do more. */
const HANDED_ON = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'TMPDIR'];
const HANDED_ON_WINDOWS = ['APPDATA', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'SYSTEMROOT', 'TEMP', 'USERPROFILE'];

interface TestStep {
  readonly ok: boolean;
  readonly text: string;
}

/** Starts the command line of a client's settings, as the client would, and makes one call that only reads. */
export async function runTestCall(launch: Launch, parts: TestCallOptions): Promise<ClientTest> {
  const { environment, folder, home, word, patienceMs } = parts;
  const handed = [...HANDED_ON, ...HANDED_ON_WINDOWS].flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const command = parts.start(launch.command, launch.args, {
    folder: folder ?? home,
    environment: { ...Object.fromEntries(handed), ...launch.environment, [TEST_CALL_VARIABLE]: word },
  });
  const steps: TestStep[] = [];
  const timer = AbortSignal.timeout(patienceMs);
  try {
    await testServer(new ServerSession(command, timer), parts, steps);
  } catch (error) {
    const said = command.complaints().trim().split('\n').at(-1) ?? '';
    const why = error instanceof Error ? error.message : String(error);
    steps.push({ ok: false, text: said === '' ? why : `${why} It said: ${said}` });
  } finally {
    command.end();
  }
  return { ok: steps.every(({ ok }) => ok), steps, left: null };
}

async function testServer(
  server: ServerSession,
  { version, folder }: TestCallOptions,
  steps: TestStep[],
): Promise<void> {
  const info = await server.ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'gatehouse-test', version },
  });
  const serverInfo = info['serverInfo'];
  const called = isJsonObject(serverInfo) && typeof serverInfo['name'] === 'string' ? serverInfo['name'] : 'something';
  if (called !== 'gatehouse') throw new Error(`The command started ${called}, which isn’t Gatehouse.`);
  steps.push({ ok: true, text: 'The command starts and answers.' });
  server.tell('notifications/initialized');

  const { tools } = await server.ask('tools/list', {});
  const names = Array.isArray(tools)
    ? tools.flatMap((tool: unknown) => (isJsonObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : []))
    : [];
  if (names.length === 0) throw new Error('It lists no tools. Tools are turned off in Settings.');
  steps.push({ ok: true, text: `It lists ${names.length} tools: ${names.join(', ')}.` });

  if (folder === null) {
    steps.push({ ok: true, text: 'No call was made: no folder is open here that it could be for.' });
    return;
  }
  const result = await server.ask('tools/call', TEST_CALL);
  if (result['isError'] === true) throw new Error(`The call ${TEST_CALL.name} failed: ${getFirstText(result)}`);
  steps.push({ ok: true, text: `The call ${TEST_CALL.name} succeeded.` });
}

function getFirstText({ content }: JsonObject): string {
  const [first] = Array.isArray(content) ? content : [];
  return isJsonObject(first) && typeof first['text'] === 'string' ? first['text'] : 'it does not say why.';
}

/** Adds to a test, as one more step, what a client said of its own tools. */
export function addToolsStep(
  test: ClientTest,
  name: string,
  tried: readonly string[],
  asked: ClientToolReport | null,
): ClientTest {
  if (asked === null || asked.left === null)
    return {
      ...test,
      steps: [...test.steps, { ok: true, text: `Which other tools its model gets: ${name} was not asked.` }],
    };
  const { left, version } = asked;
  const which = version === null ? name : `${name} ${version}`;
  const known =
    version === null || tried.includes(version)
      ? ''
      : ` This version was not tried (tried: ${tried.join(', ') || 'none'}).`;
  const text =
    left.length === 0
      ? `${which} gives its model Gatehouse’s tools, and nothing else that reaches this machine.${known}`
      : `Left: ${left.join(', ')}. ${which} gives its model these, too.${known}`;
  return { ...test, left, steps: [...test.steps, { ok: left.length === 0, text }] };
}

/** Questions and answers, one at a time. */
class ServerSession {
  readonly #command: StartedCommand;
  readonly #lines: AsyncIterator<string>;
  readonly #over: Promise<never>;
  #id = 0;

  constructor(command: StartedCommand, patience: AbortSignal) {
    this.#command = command;
    this.#lines = command.lines[Symbol.asyncIterator]();
    const { promise, reject } = Promise.withResolvers<never>();
    patience.addEventListener('abort', () =>
      reject(new Error('No answer in time. If a question is open in Gatehouse, answer it and try again.')),
    );
    void command.ended.then((why) => reject(new Error(`The command doesn’t stay: ${why}.`)));
    // The rejection matters only while an answer is awaited.
    promise.catch(() => undefined);
    this.#over = promise;
  }

  tell(method: string): void {
    this.#command.send(JSON.stringify({ jsonrpc: '2.0', method }));
  }

  async ask(method: string, params: JsonObject): Promise<JsonObject> {
    const id = (this.#id += 1);
    this.#command.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    for (;;) {
      const next = await Promise.race([this.#lines.next(), this.#over]);
      // The command said all that it will: why it ended comes next.
      if (next.done === true) return this.#over;
      const message = parseMessage(next.value);
      if (message?.['id'] !== id) continue;
      const { result, error } = message;
      if (isJsonObject(result)) return result;
      const why = isJsonObject(error) && typeof error['message'] === 'string' ? error['message'] : 'an error';
      throw new Error(`${method} was answered with: ${why}`);
    }
  }
}

function parseMessage(line: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}
