import type { Config } from '#contract/vocabulary/config.js';
import type { CommandConfinement } from '../ports/approval-desk.js';
import { runsCommands, type ToolDeclaration } from '../tool/tool.js';
import type { JudgedConfinement } from './judgement.js';

/** What a command gets now; with the network, where the person allowed it for this call. */
export function judgedConfinement(
  declaration: ToolDeclaration,
  { words, terms, withNetwork, termsWithNetwork }: CommandConfinement,
  config: Config,
  network: boolean,
): JudgedConfinement | null {
  if (!runsCommands(declaration)) return null;
  if (network && withNetwork !== null && termsWithNetwork !== null)
    return { terms: termsWithNetwork, words: withNetwork };
  const { allowed_hosts: hosts } = config.tools.run_command;
  // The sheet names only the first of a long list.
  return { terms: { ...terms, hosts }, words: hosts.length === 0 ? words : `${words} (${hosts.join(', ')})` };
}
