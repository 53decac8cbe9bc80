import type { FileEffect } from '#contract/vocabulary/effects.js';
import type { UndoFile } from '#contract/vocabulary/undo.js';
import type { Sandbox } from '../../../domain/ports/sandbox.js';
import type { UndoLook, UndoStore } from '../../../domain/ports/undo-store.js';
import { type Tool, ToolFailure } from '../../../domain/tool/tool.js';
import { defineTool } from '../../define-tool.js';
import { fileTimeoutMs, fileToolOutput } from '../file-tool-parts.js';
import { type FilesOfCall, filesOfCall } from '../files-of-call.js';
import { undoChanges } from './definition.js';

export function createUndoChangesTool(undo: UndoStore): Tool<FilesOfCall, 'files'> {
  return defineTool(undoChanges, {
    timeoutMs: fileTimeoutMs,
    parse: filesOfCall,

    summary({ callId, paths }) {
      return paths === null
        ? `Undo the changes of call ${callId}`
        : `Undo the changes of call ${callId} to ${paths.length} file(s): ${paths.join(', ')}`;
    },

    async preflight(args, { sandbox }) {
      let controlFile: string | null = null;
      for (const { asked, file } of await looksOf(undo, args, sandbox)) {
        // A path that is refused by now is told, with the others, when the call runs.
        const jailed = await sandbox.validate(asked).catch(() => null);
        if (jailed?.isControlFile === true) controlFile ??= file.path;
      }
      return controlFile === null
        ? { risk: 'medium', mustAsk: null }
        : { risk: 'high', mustAsk: `“${controlFile}” is one of the files that make other programs run something.` };
    },

    async effect(args, { sandbox, shows }) {
      const looks = await looksOf(undo, args, sandbox);
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

    async execute({ callId, paths }, { sandbox, transaction }) {
      const files = await undo.stage({ callId, paths, sandbox, transaction });
      const said = files.map(({ action, path }) => `${action}: ${path}`).join('\n');
      const done = { undoes: callId, files: files.map(({ path, action }) => ({ path, action })) };
      return fileToolOutput(said, done, { undoes: callId });
    },
  });
}

async function looksOf(undo: UndoStore, args: FilesOfCall, sandbox: Sandbox): Promise<readonly UndoLook[]> {
  const looks = await undo.look({ ...args, sandbox });
  if (looks !== null) return looks;
  const message = `Nothing is kept of what call ${args.callId} changed: it changed no files, or it is too long ago.`;
  throw new ToolFailure({ code: 'ExecutionFailed', message });
}

const CHANGES = { restore: 'modified', delete: 'deleted', recreate: 'created' } as const;

function effectOn({ path, action, current, before, rights }: UndoFile): FileEffect {
  const mode = rights === null ? null : `Its rights go back to ${rights.before.toString(8).padStart(3, '0')}.`;
  const note = before === null && action !== 'delete' ? 'It is not text, or too large to be shown.' : mode;
  return { path, change: CHANGES[action], before: current, after: before, note };
}
