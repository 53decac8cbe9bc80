import { NO_AFTERMATH } from '#contract/vocabulary/calls.js';
import type { HookRun } from '#contract/vocabulary/hooks.js';
import type { JsonObject } from '#contract/vocabulary/json.js';
import type { Failure } from '#contract/vocabulary/outcomes.js';
import type {
  JournalEvent,
  SettledResult,
  UnredactedArguments,
  UnredactedResult,
} from '../../../domain/call/journal-events.js';
import type { Redactor } from '../../../domain/ports/redactor.js';
import type { Redacted } from '../../../domain/text/redact.js';
import { sanitize } from '../../../domain/text/sanitize.js';
import type { Truncated } from '../../../domain/text/truncate.js';
import type { SurroundingText } from '../../../domain/tool/tool.js';

/** The redacted arguments of large calls, found on the other thread before they are recorded. */
export type PreparedArguments = WeakMap<object, { readonly value: JsonObject; readonly count: number }>;

/** Secrets out of what the gate records and answers. What went through it once goes through unchanged. */
export class RecordRedactor {
  readonly #redactor: Redactor;
  readonly #prepared: PreparedArguments = new WeakMap();
  /** Results that went through it: they may be long, and are not looked at twice. */
  readonly #clean = new WeakSet<SettledResult>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Redacts arguments on another thread before they are recorded, since they may be long. */
  async prepare(args: JsonObject): Promise<void> {
    this.#prepared.set(args, await this.#redactor.jsonLater(args));
  }

  /** Arguments as anybody may see them, at once: for what is short. */
  shown(args: JsonObject): JsonObject {
    return (this.#prepared.get(args) ?? this.#redactor.json(args)).value;
  }

  failure(failure: Failure): Failure {
    const message = this.#redactor.text(failure.message).value;
    if (failure.code !== 'DeniedByPerson') return message === failure.message ? failure : { ...failure, message };
    return { ...failure, message, reason: failure.reason === null ? null : this.#redactor.text(failure.reason).value };
  }

  /** The words of a call that failed may hold what it was asked with. */
  resultNow(result: SettledResult): SettledResult {
    if (this.#clean.has(result)) return result;
    const { value, count } = this.#redactor.json({ content: result.content, structured: result.structured });
    return this.#cleaned(result, value, count, unredactedResult(result, asItIs));
  }

  /** Redacts a result of any size, and then cuts it to its limits: cut first, half a secret would not be recognized. */
  async result(result: SettledResult, cutToLimits: CutText, around?: SurroundingText): Promise<SettledResult> {
    const { structured } = result;
    const part = around === undefined ? { value: result.content, count: 0 } : await this.#part(result.content, around);
    const { value, count } = await this.#redactor.jsonLater({ content: part.value, structured });
    const cut = cutToLimits(value.content);
    const within = { ...result, outputBytesLeftOut: result.outputBytesLeftOut + cut.leftOut };
    const kept = { content: cut.text, structured: value.structured };
    return this.#cleaned(within, kept, part.count + count, unredactedResult(result, cutToLimits));
  }

  /** A line of a key, or of a block under a name, says nothing by itself: what stands around it does. */
  #part(content: string, around: SurroundingText): Promise<Redacted<string>> {
    const before = sanitize(around.before).text;
    const text = before + content + sanitize(around.after).text;
    return this.#redactor.partLater(text, before.length, before.length + content.length);
  }

  event(event: JournalEvent): JournalEvent {
    switch (event.type) {
      case 'batch-received':
        return event.asker.client === null
          ? event
          : { ...event, asker: { ...event.asker, client: this.#text(event.asker.client) } };
      case 'call-received': {
        const tool = event.toolId === null ? this.#text(event.tool) : event.tool;
        return { ...event, tool, ...this.#arguments(event.arguments) };
      }
      case 'call-edited':
        return { ...event, ...this.#arguments(event.arguments) };
      case 'call-awaiting':
      case 'call-queued':
        return { ...event, why: this.#text(event.why) };
      case 'call-authorized':
        return { ...event, grant: { ...event.grant, rule: this.#text(event.grant.rule) } };
      case 'call-hook':
      case 'call-hook-after':
        return { ...event, run: this.#hookRun(event.run) };
      case 'call-retrying':
        return { ...event, message: this.#text(event.message) };
      case 'call-settled': {
        const failure = event.failure === null ? null : this.failure(event.failure);
        const { said = null } = event;
        const named = said === null ? {} : { said: { ...said, name: this.#text(said.name) } };
        return { ...event, failure, result: this.resultNow(event.result), ...named };
      }
      case 'text-given':
        return { ...event, text: { ...event.text, name: this.#text(event.text.name) } };
      case 'program-started':
        return { ...event, runs: this.#text(event.runs) };
      case 'program-ended':
        return { ...event, how: this.#text(event.how) };
      case 'texts-forgotten':
      case 'folder-trusted':
      case 'files-looked-through':
      case 'call-validated':
      case 'call-executing':
      case 'call-process':
      case 'batch-discarded':
      case 'batch-closed':
      // Their record took them out when it made these.
      case 'conversation-begun':
      case 'conversation-changed':
      case 'message-added':
      case 'answer-begun':
      case 'answer-ended':
        return event;
    }
  }

  #arguments(args: JsonObject): { readonly arguments: JsonObject; readonly withheld?: UnredactedArguments } {
    const { value, count } = this.#prepared.get(args) ?? this.#redactor.json(args);
    return count === 0 ? { arguments: args } : { arguments: value, withheld: { arguments: args, count } };
  }

  #hookRun(run: HookRun): HookRun {
    if ('failed' in run) return { ...run, failed: this.#text(run.failed) };
    return run.reason === null ? run : { ...run, reason: this.#text(run.reason) };
  }

  #text(text: string): string {
    return this.#redactor.text(text).value;
  }

  /** Names of files and hosts; they are counted where the result has them. */
  #without<Value>(value: Value): Value {
    return this.#redactor.json(value as never).value;
  }

  #cleaned(
    result: SettledResult,
    value: { readonly content: string; readonly structured: JsonObject | null },
    count: number,
    whole: UnredactedResult,
  ): SettledResult {
    const cleaned: SettledResult = {
      ...result,
      content: value.content,
      structured: value.structured,
      changedFiles: result.changedFiles.length === 0 ? result.changedFiles : this.#without(result.changedFiles),
      aftermath: result.aftermath === NO_AFTERMATH ? NO_AFTERMATH : this.#without(result.aftermath),
      redactions: result.redactions + count,
      ...(count === 0 && result.withheld === undefined ? {} : { withheld: whole }),
    };
    this.#clean.add(cleaned);
    return cleaned;
  }
}

export type CutText = (text: string) => Pick<Truncated, 'text' | 'leftOut'>;

const asItIs: CutText = (text) => ({ text, leftOut: 0 });

/** The result as it would be without redaction, within the same limit. */
function unredactedResult(result: SettledResult, cutToLimits: CutText): UnredactedResult {
  const { content, structured, outputBytesLeftOut } = result.withheld ?? result;
  const cut = cutToLimits(content);
  return { content: cut.text, structured, outputBytesLeftOut: outputBytesLeftOut + cut.leftOut };
}
