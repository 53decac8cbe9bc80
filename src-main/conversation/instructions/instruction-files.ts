import type { InstructionFile } from '#contract/vocabulary/conversation/instructions.js';
import type { InstructionFolder, Instructions } from '../../domain/ports/conversation/instructions.js';
import type { Redactor } from '../../domain/ports/redactor.js';
import type { Sandbox } from '../../domain/ports/workspace/sandbox.js';
import { sanitize } from '../../domain/text/sanitize.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import { sha256 } from '../../platform/digest.js';
import type { AcceptedTexts } from './accepted-texts.js';

interface InstructionFilesDeps {
  readonly accepted: AcceptedTexts;
  readonly redactor: Pick<Redactor, 'textLater'>;
}

/** Longer ones nobody reads before they accept them. */
const MAX_BYTES = 64 * 1024;

/** The instruction files of folders: read through the jail, each time anew, so that what is accepted is what is used. */
export class InstructionFiles implements Instructions {
  readonly #parts: InstructionFilesDeps;

  constructor(parts: InstructionFilesDeps) {
    this.#parts = parts;
  }

  inspect(folder: InstructionFolder, paths: readonly string[]): Promise<readonly InstructionFile[]> {
    return Promise.all([...new Set(paths)].map((path) => this.#look(folder, path)));
  }

  async accept(folder: InstructionFolder, path: string, digest: string): Promise<string | null> {
    const file = await this.#look(folder, path);
    if (file.state === 'absent') return `${path} isn’t there any more. Nothing was accepted.`;
    if (file.state === 'unusable') return file.problem;
    if (file.digest !== digest) return `${path} has changed since you looked at it. Review it again.`;
    return this.#parts.accepted.keep(folder.workspace, path, { digest, text: file.text });
  }

  async #look({ workspace, sandbox }: InstructionFolder, path: string): Promise<InstructionFile> {
    const bytes = await readThrough(sandbox, path);
    if (bytes === null) return { path, state: 'absent' };
    if (typeof bytes === 'string') return { path, state: 'unusable', problem: bytes };
    const text = await this.#shown(bytes);
    if (text === null) return { path, state: 'unusable', problem: `${path} is no text in UTF-8.` };
    const digest = sha256(bytes);
    const kept = this.#parts.accepted.find(workspace, path);
    if (kept === null) return { path, state: 'not-seen', text, digest };
    return kept.digest === digest
      ? { path, state: 'accepted', text, digest }
      : { path, state: 'changed', text, digest, before: kept.text };
  }

  /** Null where it is no text. */
  async #shown(bytes: Uint8Array): Promise<string | null> {
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      return (await this.#parts.redactor.textLater(sanitize(text).text)).value;
    } catch (error) {
      if (error instanceof TypeError) return null;
      throw error;
    }
  }
}

/** Null where nothing is there; words where it is and can't be read. */
async function readThrough(sandbox: Sandbox, asked: string): Promise<Uint8Array | string | null> {
  try {
    const path = await sandbox.validate(asked);
    if ((await sandbox.facts(path)) === null) return null;
    await using file = await sandbox.openFile(path);
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    while (length < buffer.length) {
      const read = await file.read(buffer.subarray(length), length);
      if (read === 0) break;
      length += read;
    }
    return length > MAX_BYTES
      ? `${asked} is longer than ${MAX_BYTES / 1024} KB, and isn’t used.`
      : buffer.subarray(0, length);
  } catch (error) {
    if (error instanceof ToolFailure) return error.failure.message;
    throw error;
  }
}
