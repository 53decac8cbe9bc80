import type { Json } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { HeldProgram, HeldProgramRequest, StartHeldProgram } from '../../../domain/ports/sources/held-program.js';
import type { SourceAnswer, SourceInvocation } from '../../../domain/ports/sources/source.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { SideChannel } from './side-channel.js';

const MAX_RESULT_BYTES = 8 * 2 ** 20;
const MAX_STDERR_TAIL = 4000;

/** Runs one process for one call: its request goes in as a line, its one JSON value comes out. */
export async function runProgram(
  start: StartHeldProgram,
  request: HeldProgramRequest,
  line: string,
  invocation: SourceInvocation,
): Promise<SourceAnswer> {
  const { signal } = invocation;
  signal.throwIfAborted();
  const program = await start(request);
  const graceMs = request.config.tools.run_command.kill_grace_ms;
  const end = (): void => void program.end(graceMs);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const side = new SideChannel(invocation);
  try {
    // A program need not read what it is asked.
    void program.write(line).then(
      () => program.endInput(),
      () => undefined,
    );
    const [result, said, , ended] = await Promise.all([
      readResult(program),
      forwardStderr(program, invocation),
      side.readAll(program.side),
      program.ended,
    ]);
    signal.throwIfAborted();
    const hasEffect = !invocation.operation.claims.readOnly;
    if (result === null) throw tooLongFailure(hasEffect);
    const failure = toFailure(ended, said, hasEffect);
    if (failure !== null) throw new ToolFailure(failure);
    return {
      ...parseResult(result),
      storedOutputs: [],
      confinement: program.confinement,
      warnings: listWarnings(side),
    };
  } finally {
    signal.removeEventListener('abort', end);
    await program.end(0);
  }
}

/** Null where it is more than a result may be; it is ended then. */
async function readResult(program: HeldProgram): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of program.stdout) {
    length += part.length;
    if (length <= MAX_RESULT_BYTES) parts.push(part);
    else {
      parts.length = 0;
      void program.end(0);
    }
  }
  return length <= MAX_RESULT_BYTES ? Buffer.concat(parts) : null;
}

/** Passes stderr on as it comes, and returns the end of it for the message of a failure. */
async function forwardStderr(program: HeldProgram, { emit }: SourceInvocation): Promise<string> {
  const decoder = new TextDecoder();
  let last = '';
  for await (const part of program.stderr) {
    const text = decoder.decode(part, { stream: true });
    last = (last + text).slice(-MAX_STDERR_TAIL);
    await emit('stderr', text);
  }
  const rest = decoder.decode();
  if (rest !== '') await emit('stderr', rest);
  return (last + rest).trim();
}

const tooLongFailure = (hasEffect: boolean): ToolFailure =>
  new ToolFailure({
    code: 'ExecutionFailed',
    message: `It wrote more than ${MAX_RESULT_BYTES / 2 ** 20} MB to its standard output, and was ended.${unknownEffectWords(hasEffect)}`,
    eCode: 'E3308',
  });

const unknownEffectWords = (hasEffect: boolean): string => (hasEffect ? ' It may have had an effect.' : '');

function toFailure(
  { code, signal, limit, unstartable }: Awaited<HeldProgram['ended']>,
  said: string,
  hasEffect: boolean,
): Failure | null {
  if (unstartable !== null) return { code: 'SourceUnavailable', message: unstartable, eCode: 'E3101' };
  if (code === 0 && limit === null) return null;
  const end = said === '' ? '' : ` It said:\n${said}`;
  const effect = unknownEffectWords(hasEffect);
  if (limit !== null)
    return {
      code: 'ResourceExhausted',
      limit,
      message: `It was ended at a limit of its manifest or your settings (${limit}).${effect}${end}`,
      eCode: 'E3102',
    };
  if (signal !== null)
    return { code: 'ExecutionFailed', message: `It was ended by ${signal}.${effect}${end}`, eCode: 'E3107' };
  return { code: 'ExecutionFailed', message: `It ended with exit code ${code}.${end}`, eCode: 'E3108' };
}

function parseResult(bytes: Uint8Array): Pick<SourceAnswer, 'content' | 'structured'> {
  try {
    const content = new TextDecoder('utf-8', { fatal: true }).decode(bytes).trim();
    return { content, structured: JSON.parse(content) as Json };
  } catch {
    throw new ToolFailure({
      code: 'OutputInvalid',
      message: `Its standard output is not one JSON value${bytes.length === 0 ? ': it is empty' : ''}.`,
      eCode: 'E3308',
    });
  }
}

function listWarnings({ ignored }: SideChannel): readonly string[] {
  return ignored > 0 ? [`${ignored} lines on descriptor 3 were neither progress nor a checkpoint.`] : [];
}
