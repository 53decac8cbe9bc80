import type { Config } from '#contract/vocabulary/config.js';
import type { JailedPath } from '../../domain/ports/sandbox.js';
import { secretFile } from '../../domain/sensitive/table.js';
import { ToolFailure } from '../../domain/tool/tool.js';

/** A file of secrets, by the table: reading or changing one asks, whatever the mode and the lists, or is denied. */
export const isSecretFile = (path: JailedPath): boolean => secretFile(path.relative) === 'yes';

/** Why it must be asked; null where it need not be. Throws where such files are denied. */
export function askAboutSecrets(paths: readonly JailedPath[], config: Config): string | null {
  const secret = paths.find(isSecretFile);
  if (secret === undefined) return null;
  if (config.tools.approval.secrets === 'deny') {
    throw new ToolFailure({
      code: 'DeniedPatternMatched',
      attempted: secret.asked,
      pattern: 'tools.approval.secrets',
      message: `“${secret.asked}” is a file that keeps secrets, and those are denied (tools.approval.secrets = "deny").`,
    });
  }
  return `“${secret.asked}” is a file that keeps secrets.`;
}
