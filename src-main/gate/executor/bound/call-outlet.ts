import type { Checkpoint } from '#contract/vocabulary/calls.js';
import type { CallOutput } from '../../../domain/ports/gate/gate.js';
import type { Redactor } from '../../../domain/ports/redactor.js';
import type { RedactingStream, ReleasedText } from '../../../domain/text/redacting-stream.js';
import type { ToolProgress } from '../../../domain/tool/tool.js';
import { SerialQueue } from '../../../platform/serial-queue.js';

/** Where what a call says goes, once it may. */
interface OutletSinks {
  readonly redactor: Pick<Redactor, 'text' | 'stream'>;
  /** Whether it went through the redactor with its bytes already, like a command's output. */
  readonly isClean: boolean;
  readonly window: (output: CallOutput) => void;
  /** Whether its caller listens to its output. */
  readonly isHeard: () => boolean;
  /** Whether its caller listens to its progress. */
  readonly isFollowed: () => boolean;
  /** Puts on record that its caller was given it; false where that can't be written: then it is not told. */
  readonly onRecord: () => Promise<boolean>;
  readonly output: (output: CallOutput) => void;
  readonly progress: (progress: ToolProgress) => void;
  readonly checkpoint: (checkpoint: Checkpoint) => void;
  readonly onFault: (error: unknown) => void;
}

type OutputStreamName = CallOutput['stream'];

/**
 * The delay after which held-back output is shown if nothing comes. It is held back as it might be the beginning of a
 * secret.
 */
const IDLE_MS = 120;

/**
 * Passes on what a call says before it ends, whatever runs it: redacted, put on record as given to its caller, and only
 * then told. Its handler is handed this, and no other way to anybody.
 */
export class CallOutlet {
  readonly #ways: OutletSinks;
  readonly #streams = new Map<OutputStreamName, RedactingStream>();
  readonly #turns = new SerialQueue();
  #idle: NodeJS.Timeout | undefined;
  #isOver = false;
  /** How many places were blotted out of it. */
  redactions = 0;

  constructor(ways: OutletSinks) {
    this.#ways = ways;
  }

  readonly emit = async (stream: OutputStreamName, text: string): Promise<void> => {
    if (this.#isOver) return;
    if (this.#ways.isClean) return this.#tell(stream, text);
    await this.#turns.run(async () => {
      clearTimeout(this.#idle);
      await this.#give(stream, await this.#streamOf(stream).push(text));
      if (this.#isOver) return;
      this.#idle = setTimeout(() => this.#inTurn(() => this.#giveHeld('idle')), IDLE_MS);
      this.#idle.unref();
    });
  };

  readonly progress = (progress: ToolProgress): void => {
    this.#inTurn(async () => {
      const { percent, phase } = progress;
      const said = { percent, phase: this.#without(phase) };
      if (phase === null || (await this.#mayFollow())) this.#ways.progress(said);
    });
  };

  readonly checkpoint = (checkpoint: Checkpoint): void => {
    this.#inTurn(async () => {
      const said = { ...checkpoint, label: this.#without(checkpoint.label) };
      if (checkpoint.label === null || (await this.#mayFollow())) this.#ways.checkpoint(said);
    });
  };

  /** Ends the output: what was held back is told, and nothing that comes later. */
  async end(): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#idle);
    await this.#turns.run(() => this.#giveHeld('end'));
  }

  #inTurn(work: () => Promise<void>): void {
    if (!this.#isOver) this.#turns.run(work).catch(this.#ways.onFault);
  }

  async #giveHeld(how: 'idle' | 'end'): Promise<void> {
    for (const [stream, redacting] of this.#streams)
      if (redacting.holds) await this.#give(stream, await redacting[how]());
  }

  #streamOf(stream: OutputStreamName): RedactingStream {
    const known = this.#streams.get(stream) ?? this.#ways.redactor.stream();
    this.#streams.set(stream, known);
    return known;
  }

  #give(stream: OutputStreamName, { text, count }: ReleasedText): Promise<void> {
    this.redactions += count;
    return this.#tell(stream, text);
  }

  /** The window has it at once; its caller when it is on record that it was given. */
  async #tell(stream: OutputStreamName, text: string): Promise<void> {
    if (text === '') return;
    const { window, isHeard, onRecord, output } = this.#ways;
    window({ stream, text });
    if (isHeard() && (await onRecord())) output({ stream, text });
  }

  /**
   * Whether progress may be told. A caller that follows nothing is given nothing, so nothing is recorded: whoever asks
   * for it later is given it then.
   */
  async #mayFollow(): Promise<boolean> {
    return !this.#ways.isFollowed() || (await this.#ways.onRecord());
  }

  #without(text: string | null): string | null {
    if (text === null) return null;
    const { value, count } = this.#ways.redactor.text(text);
    this.redactions += count;
    return value;
  }
}
