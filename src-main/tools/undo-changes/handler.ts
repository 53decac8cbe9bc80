import type { FileEffect } from '../../../src-preload/contract/approvals.js';
import type { UndoFile, UndoPreview } from '../../../src-preload/contract/undo.js';
import type { Sandbox, UndoStore } from '../../domain/ports.js';
import { type Tool, ToolFailure } from '../../domain/tool.js';
import { fileTimeoutMs, fileToolOutput } from '../file-tool-parts.js';
import { undoChangesDeclaration, type UndoChangesInput } from './definition.js';

interface UndoChangesArgs {
  readonly callId: string;
  readonly paths: readonly string[] | null;
}

export function createUndoChangesTool(undo: UndoStore): Tool<UndoChangesArgs> {
  return {
    declaration: undoChangesDeclaration,
    argumentsBoundedElsewhere: [],
    timeoutMs: fileTimeoutMs,

    parse(args) {
      const { callId, paths } = args as unknown as UndoChangesInput;
      return { callId, paths: paths ?? null };
    },

    summary({ callId, paths }) {
      return paths === null
        ? `Undo the changes of call ${callId}`
        : `Undo the changes of call ${callId} to ${paths.length} file(s): ${paths.join(', ')}`;
    },

    async preflight(args, { sandbox }) {
      const { files } = await chosenOf(undo, args, sandbox);
      for (const { path } of files) {
        // A path that is refused by now is told, with the others, when the call runs.
        const jailed = await sandbox.validate(path).catch(() => null);
        if (jailed?.isControlFile === true) {
          return { risk: 'high', mustAsk: `“${path}” is one of the files that make other programs run something.` };
        }
      }
      return { risk: 'medium', mustAsk: null };
    },

    async effect(args, { sandbox }) {
      const { files } = await chosenOf(undo, args, sandbox);
      const problems = files.filter(({ possible }) => !possible);
      if (problems.length > 0) {
        const list = problems.map(({ path, problem }) => `“${path}”: ${problem ?? 'it can’t be undone.'}`);
        return { kind: 'problem', message: list.join(' ') };
      }
      return { kind: 'files', files: files.map(effectOn) };
    },

    async execute({ callId, paths }, { sandbox, transaction }) {
      const files = await undo.stage({ callId, paths, sandbox, transaction });
      return fileToolOutput(files.map(({ action, path }) => `${action}: ${path}`).join('\n'), {
        undoes: callId,
        files: files.map(({ path, action }) => ({ path, action })),
      });
    },
  };
}

async function chosenOf(undo: UndoStore, { callId, paths }: UndoChangesArgs, sandbox: Sandbox): Promise<UndoPreview> {
  const preview = await undo.preview(callId, sandbox);
  if (preview === null) {
    const message = `Nothing is kept of what call ${callId} changed: it changed no files, or it is too long ago.`;
    throw new ToolFailure({ code: 'ExecutionFailed', message });
  }
  return paths === null ? preview : { callId, files: preview.files.filter(({ path }) => paths.includes(path)) };
}

const CHANGES = { restore: 'modified', delete: 'deleted', recreate: 'created' } as const;

function effectOn({ path, action, current, before, rights }: UndoFile): FileEffect {
  const mode = rights === null ? null : `Its rights go back to ${rights.before.toString(8).padStart(3, '0')}.`;
  const note = before === null && action !== 'delete' ? 'It is not text, or too large to be shown.' : mode;
  return { path, change: CHANGES[action], before: current, after: before, note };
}
