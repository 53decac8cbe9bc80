import type { QuarantineStore } from '../../../domain/ports/workspace/quarantine-store.js';
import { type Tool, ToolFailure } from '../../../domain/tool/tool.js';
import { defineTool } from '../../define-tool.js';
import { fileTimeoutMs, fileToolOutput } from '../file-tool-parts.js';
import { type FilesOfCall, filesOfCall } from '../call-files-input.js';
import { putBack } from './definition.js';

export function createPutBackTool(aside: QuarantineStore): Tool<FilesOfCall, 'files'> {
  return defineTool(putBack, {
    timeoutMs: fileTimeoutMs,
    parse: filesOfCall,

    summary({ callId, paths }) {
      return paths === null
        ? `Put back what call ${callId} left`
        : `Put back what call ${callId} left: ${paths.join(', ')}`;
    },

    async preflight({ callId }, { sandbox }) {
      // Whatever it reaches is judged here, where each file led when the person asked for it.
      if ((await aside.view(callId, sandbox)) === null) {
        throw new ToolFailure({ code: 'ExecutionFailed', message: `Nothing of it is kept of call ${callId}.` });
      }
      return { risk: 'high', mustAsk: 'These files can make other programs run code.' };
    },

    async effect({ callId, paths }, { sandbox }) {
      const view = await aside.view(callId, sandbox);
      const files = (view?.files ?? []).filter(({ path }) => paths === null || paths.includes(path));
      if (files.length === 0) return { kind: 'problem', message: 'Nothing of it is kept.' };
      return {
        kind: 'files',
        files: files.map(({ path, change, before, after, problem }) => ({
          path,
          change,
          before,
          after,
          note: problem,
        })),
      };
    },

    async execute({ callId, paths }, { sandbox, transaction }) {
      const files = await aside.stage({ callId, paths, sandbox, transaction });
      if (files.length === 0) throw new ToolFailure({ code: 'ExecutionFailed', message: 'Nothing of it is kept.' });
      return fileToolOutput(files.map(({ path }) => `put back: ${path}`).join('\n'), {
        files: files.map(({ path }) => path),
      });
    },
  });
}
