import type { FileEffect } from '#contract/vocabulary/effects.js';
import type { JailedPath } from '../../../domain/ports/workspace/sandbox.js';
import type { Config } from '#contract/vocabulary/config.js';
import { parsePatch } from '../../../domain/lp1/parse.js';
import { writePatch } from '../../../domain/lp1/write.js';
import type { ParseResult, Patch } from '../../../domain/lp1/patch.js';
import { NO_EARLIER_EFFECTS, type PlanContext, ToolFailure } from '../../../domain/tool/tool.js';
import { defineTool } from '../../define-tool.js';
import { describeControlFiles, fileTimeoutMs, fileToolOutput } from '../file-tool-parts.js';
import { applyPatch } from './definition.js';
import { refuseHardLinks } from './hard-links.js';
import { askAboutSecrets } from '../secret-file.js';
import { listAddedLines, refuseMark } from './refuse-mark.js';
import { patchFailed, PatchPlan, type PlannedFile } from './plan.js';

interface ApplyPatchArgs {
  readonly bytes: number;
  readonly parsed: ParseResult;
}

/** The most of a file that the approval sheet shows. */
const SHOWN_CHARACTERS = 1024 * 1024;

export const applyPatchTool = defineTool(applyPatch, {
  argumentsBoundedElsewhere: ['patch'],
  timeoutMs: fileTimeoutMs,

  parse({ patch }): ApplyPatchArgs {
    return { bytes: Buffer.byteLength(patch), parsed: parsePatch(patch) };
  },

  summary({ parsed }, named) {
    if (!parsed.ok) return 'Edit files (the patch can’t be read)';
    const files = [...new Set(parsed.patch.sections.map(({ path }) => named(path).replace(/^(?:\.\/+)+/, '')))];
    return files.length === 1 ? `Edit ${files.join('')}` : `Edit ${files.length} files: ${files.join(', ')}`;
  },

  async understand(args, { config }, before: PatchPlan | null) {
    const patch = soundPatch(args, config);
    return before?.patch === patch ? before : new PatchPlan(patch);
  },

  async preflight(args, context) {
    const patch = soundPatch(args, context.config);
    const { controlFiles, paths } = await judgePaths(patch, context);
    await refuseMark(patch, context);
    const added = patch.sections.flatMap(({ operations }) => operations.flatMap(listAddedLines));
    const { mustAsk } = await askAboutSecrets(paths, context, Buffer.from(added.join('\n')));
    if (mustAsk !== null) return { risk: 'high', mustAsk };
    if (controlFiles.length === 0) return { risk: 'medium', mustAsk: null };
    return { risk: 'high', mustAsk: describeControlFiles(controlFiles) };
  },

  async effect(_args, { sandbox, readLog, shows, foreseen }, plan) {
    try {
      const files = await plan.make({ sandbox, readLog, foreseen, signal: null });
      for (const { path, before, after } of files) shows(path, before?.sha256 ?? null, after.content);
      return files.length === 0
        ? { kind: 'problem', message: 'The patch changes nothing.' }
        : { kind: 'files', files: files.map(effectOn) };
    } catch (error) {
      if (error instanceof ToolFailure) return { kind: 'problem', message: error.failure.message };
      throw error;
    }
  },

  async foresee(_args, { sandbox, readLog, foreseen }, plan) {
    try {
      await plan.make({ sandbox, readLog, foreseen, signal: null });
      return null;
    } catch (error) {
      if (error instanceof ToolFailure) return error.failure;
      throw error;
    }
  },

  argumentsFor(args, files) {
    const patch = writePatch(files);
    return patch === null ? null : { ...args, patch };
  },

  async execute(args, { sandbox, config, transaction, readLog, signal }, plan) {
    soundPatch(args, config);
    const files = await plan.make({ sandbox, readLog, foreseen: NO_EARLIER_EFFECTS, signal });
    for (const { path, before, after } of files) {
      const expected = before === null ? { expected: null } : { expected: before.sha256, current: before.content };
      await transaction.stageWrite({ path, content: after.content, ...expected });
    }
    // What it wrote counts as read. Should the commit fail, this hash fits no file, and reading again helps.
    for (const { path, after } of files) readLog.record(path.absolute, after.sha256);
    const lines = files.map((file) => `${changeOf(file)}: ${file.shown}`);
    return fileToolOutput(lines.length === 0 ? 'No changes applied.' : lines.join('\n'), {
      files: files.map((file) => ({
        path: file.shown,
        change: changeOf(file),
        bytes: file.after.content.byteLength,
        sha256: file.after.sha256,
      })),
    });
  },
});

const changeOf = ({ before }: PlannedFile): 'created' | 'modified' => (before === null ? 'created' : 'modified');

/** The size first: what is too large is not worth another word. */
function soundPatch({ bytes, parsed }: ApplyPatchArgs, config: Config): Patch {
  const most = config.tools.apply_patch.max_patch_bytes;
  if (bytes > most) {
    const message = `The patch has ${bytes} bytes; apply_patch takes at most ${most}.`;
    throw new ToolFailure({ code: 'LimitsExceeded', message });
  }
  if (!parsed.ok) throw parseProblem(parsed.error);
  return parsed.patch;
}

function parseProblem({ line, problem }: { readonly line: number; readonly problem: string }): ToolFailure {
  return patchFailed('', `The patch is not valid LP1. Line ${line}: ${problem}.`);
}

/** Gives the control files among them. Hard links are refused here already, so that nobody is asked about them. */
async function judgePaths(
  patch: Patch,
  { sandbox }: PlanContext,
): Promise<{ readonly controlFiles: readonly JailedPath[]; readonly paths: readonly JailedPath[] }> {
  const paths: JailedPath[] = [];
  for (const { path, operations } of patch.sections) {
    const jailed = await sandbox.validate(path);
    if (operations.length > 0 || jailed.isControlFile) paths.push(jailed);
  }
  await refuseHardLinks(paths, sandbox);
  return { controlFiles: paths.filter(({ isControlFile }) => isControlFile), paths };
}

function effectOn(file: PlannedFile): FileEffect {
  const { before, after, shown } = file;
  const tooLarge = Math.max(before?.text.length ?? 0, after.text.length) > SHOWN_CHARACTERS;
  return {
    path: shown,
    change: changeOf(file),
    before: tooLarge ? null : (before?.text ?? null),
    after: tooLarge ? null : after.text,
    note: tooLarge ? `It is too large to be shown (${after.content.byteLength} bytes after the change).` : null,
  };
}
