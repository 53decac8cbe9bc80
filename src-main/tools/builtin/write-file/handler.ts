import { sha256 as sha256Of } from '../../../platform/digest.js';
import type { Config } from '#contract/vocabulary/config.js';
import type { FileFacts } from '../../../domain/ports/workspace/sandbox.js';
import { REDACTED } from '../../../domain/text/redact.js';
import { ToolFailure } from '../../../domain/tool/tool.js';
import { askAboutSecrets } from '../secret-file.js';
import { defineTool } from '../../define-tool.js';
import { describeControlFiles, fileTimeoutMs, fileToolOutput } from '../file-tool-parts.js';
import { writeFile } from './definition.js';

interface WriteFileArgs {
  readonly path: string;
  readonly content: string;
  readonly bytes: number;
}

const KINDS: Readonly<Record<FileFacts['kind'], string>> = {
  file: 'a file',
  dir: 'a folder',
  symlink: 'a link',
  other: 'a device, pipe or socket',
};

const exists = (asked: string, kind: FileFacts['kind']): string =>
  `“${asked}” already exists (${KINDS[kind]}). write_file only creates, it never overwrites` +
  (kind === 'file' ? ': to change the file, read it and use apply_patch.' : '.');

export const writeFileTool = defineTool(writeFile, {
  argumentsBoundedElsewhere: ['content'],
  timeoutMs: fileTimeoutMs,

  parse({ path, content }): WriteFileArgs {
    if (!content.isWellFormed()) {
      throw new ToolFailure({
        code: 'BadArgs',
        message: 'content is not valid Unicode (it has half of a surrogate pair), so it can’t be written as it is.',
      });
    }
    return { path, content, bytes: Buffer.byteLength(content) };
  },

  summary: ({ path, bytes }, named) => `Create ${named(path)} (${bytes} ${bytes === 1 ? 'byte' : 'bytes'})`,

  async preflight(args, { sandbox, config, findsSecrets }) {
    refuseTooLarge(args, config);
    refuseMark(args);
    const path = await sandbox.validate(args.path);
    const { mustAsk } = await askAboutSecrets([path], { sandbox, config, findsSecrets }, Buffer.from(args.content));
    if (mustAsk !== null) return { risk: 'high', mustAsk };
    return path.isControlFile
      ? { risk: 'high', mustAsk: describeControlFiles([path]) }
      : { risk: 'medium', mustAsk: null };
  },

  /**
   * Plans the write. A file that is there now need not be there later, so an existing file is told here and refused
   * only when it is written.
   */
  async effect({ path: written, content }, { sandbox, shows, foreseen }) {
    const path = await sandbox.validate(written);
    const there = await sandbox.facts(path);
    if (there !== null) return { kind: 'problem', message: exists(path.asked, there.kind) };
    // An earlier call of the batch makes one there.
    if ((foreseen.content(path.absolute) ?? null) !== null)
      return { kind: 'problem', message: exists(path.asked, 'file') };
    shows(path, null, Buffer.from(content));
    return {
      kind: 'files',
      files: [{ path: path.relative, change: 'created', before: null, after: content, note: null }],
    };
  },

  async foresee({ path: written }, { sandbox }) {
    const path = await sandbox.validate(written);
    const there = await sandbox.facts(path);
    return there === null ? null : { code: 'ExecutionFailed', message: exists(path.asked, there.kind) };
  },

  argumentsFor(args, [file]) {
    const { content } = args;
    if (file === undefined || typeof content !== 'string') return null;
    // Where text is edited, lines end in LF; those of this file keep their ends.
    const isCrlf = content.includes('\r\n') && !/(?<!\r)\n/u.test(content);
    return { ...args, content: isCrlf ? file.after.replaceAll('\n', '\r\n') : file.after };
  },

  async execute(args, { sandbox, config, transaction, readLog }) {
    refuseTooLarge(args, config);
    const path = await sandbox.validate(args.path);
    const there = await sandbox.facts(path);
    if (there !== null) {
      throw new ToolFailure({ code: 'ExecutionFailed', message: exists(path.asked, there.kind) });
    }
    const content = Buffer.from(args.content);
    await transaction.stageWrite({ path, content, expected: null });
    const sha256 = sha256Of(content);
    // Counts as read, so that apply_patch may follow. Should the commit fail, this hash fits no file and does no harm.
    readLog.record(path.absolute, sha256);
    return fileToolOutput(`created: ${path.relative} (${content.byteLength} bytes)`, {
      path: path.relative,
      bytes: content.byteLength,
      sha256,
    });
  },
});

/** A new file has no value yet that the mark could stand for: it would be written as if it were one. */
function refuseMark({ content }: WriteFileArgs): void {
  if (!content.includes(REDACTED)) return;
  throw new ToolFailure({
    code: 'BadArgs',
    message: `content holds “${REDACTED}”, which stands for a value that was not shown. Leave the value out, and tell the user to fill it in.`,
  });
}

function refuseTooLarge({ bytes }: WriteFileArgs, config: Config): void {
  const most = config.tools.write_file.max_bytes;
  if (bytes <= most) return;
  throw new ToolFailure({
    code: 'LimitsExceeded',
    message: `content has ${bytes} bytes; write_file takes at most ${most}.`,
  });
}
