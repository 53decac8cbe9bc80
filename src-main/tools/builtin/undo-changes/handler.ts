import type { FileEffect } from '#contract/vocabulary/effects.js';
import type { UndoFile } from '#contract/vocabulary/undo.js';
import type { JailedPath, Sandbox } from '../../../domain/ports/workspace/sandbox.js';
import type { UndoCandidate, UndoStore } from '../../../domain/ports/workspace/undo-store.js';
import { type Tool, ToolFailure } from '../../../domain/tool/tool.js';
import { defineTool } from '../../define-tool.js';
import { describeControlFiles, fileTimeoutMs, fileToolOutput } from '../file-tool-parts.js';
import { type FilesOfCall, filesOfCall } from '../call-files-input.js';
import { undoChanges } from './definition.js';

/** The latest call first. */
interface UndoArguments {
  readonly of: readonly [FilesOfCall, ...FilesOfCall[]];
}

export function createUndoChangesTool(undo: UndoStore): Tool<UndoArguments, 'files'> {
  return defineTool(undoChanges, {
    timeoutMs: fileTimeoutMs,
    parse: ({ earlier, ...latest }) => ({ of: [filesOfCall(latest), ...(earlier ?? []).map(filesOfCall)] }),

    summary({ of: [{ callId, paths }, ...earlier] }) {
      if (earlier.length > 0) return `Undo the changes of ${earlier.length + 1} calls`;
      return paths === null
        ? `Undo the changes of call ${callId}`
        : `Undo the changes of call ${callId} to ${paths.length} file(s): ${paths.join(', ')}`;
    },

    async preflight(args, { sandbox }) {
      const controlFiles: JailedPath[] = [];
      for (const { asked } of await planUndo(undo, args, sandbox)) {
        // A path that is refused by now is told, with the others, when the call runs.
        const jailed = await sandbox.validate(asked).catch(() => null);
        if (jailed?.isControlFile === true) controlFiles.push(jailed);
      }
      return controlFiles.length === 0
        ? { risk: 'medium', mustAsk: null }
        : { risk: 'high', mustAsk: describeControlFiles(controlFiles) };
    },

    async effect(args, { sandbox, shows }) {
      const looks = await planUndo(undo, args, sandbox);
      const files = looks.map(({ file }) => file);
      const problems = files.filter(({ possible }) => !possible);
      if (problems.length > 0) {
        const list = problems.map(({ path, problem }) => `“${path}”: ${problem ?? 'it can’t be undone.'}`);
        return { kind: 'problem', message: list.join(' ') };
      }
      for (const { asked, sha256 } of looks) {
        const path = await sandbox.validate(asked).catch(() => null);
        if (path !== null) shows(path, sha256, null);
      }
      return { kind: 'files', files: files.map(effectOn) };
    },

    async execute({ of }, { sandbox, transaction }) {
      const files = await undo.stage({ of, sandbox, transaction });
      const [callId, ...earlier] = [of[0].callId, ...of.slice(1).map((each) => each.callId)];
      const said = files.map(({ action, path }) => `${action}: ${path}`).join('\n');
      const done = {
        undoes: callId,
        ...(earlier.length === 0 ? {} : { earlier }),
        files: files.map(({ path, action }) => ({ path, action })),
      };
      return fileToolOutput(said, done, { undoes: [callId, ...earlier] });
    },
  });
}

async function planUndo(undo: UndoStore, args: UndoArguments, sandbox: Sandbox): Promise<readonly UndoCandidate[]> {
  const looks = await undo.findCandidates({ of: args.of, sandbox });
  if (looks !== null) return looks;
  const which = args.of.length === 1 ? `call ${args.of[0].callId}` : 'one of these calls';
  const message = `There is no copy from before ${which}: it changed no files, or it is too long ago.`;
  throw new ToolFailure({ code: 'ExecutionFailed', message });
}

const CHANGES = { restore: 'modified', delete: 'deleted', recreate: 'created' } as const;

function effectOn({ path, action, current, before, rights }: UndoFile): FileEffect {
  const mode = rights === null ? null : `Its rights go back to ${rights.before.toString(8).padStart(3, '0')}.`;
  const note = before === null && action !== 'delete' ? 'It is not text, or too large to be shown.' : mode;
  return { path, change: CHANGES[action], before: current, after: before, note };
}
