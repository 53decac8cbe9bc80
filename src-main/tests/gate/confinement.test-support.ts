import type { ConfinementState } from '../../domain/ports/command-runner.js';
import { NOTHING_ALLOWED } from '#contract/vocabulary/network.js';
import type { TermChip } from '#contract/vocabulary/term-chips.js';
import { buildTermChips } from '../../domain/tool/term-words.js';
import { resolveProcessTerms, type ToolTerms } from '../../domain/tool/terms.js';
import { defaultConfig } from './default-config.test-support.js';

/** A machine that can confine what runs on it, and one that can't. */
export const CONFINES: ConfinementState = { available: true, problem: null };
export const CONFINES_NOT: ConfinementState = { available: false, problem: 'bubblewrap is not installed.' };
/** One that confines less closely, and says so. */
export const CONFINES_LESS: ConfinementState = { available: true, problem: 'Its system calls are not filtered.' };

const commandTerms = (confinement: ConfinementState): ToolTerms => ({
  nature: 'command',
  paths: 'change',
  secrets: [],
  limits: { timeMs: 0, outputBytes: 0 },
  ...resolveProcessTerms({ config: defaultConfig(), confinement, network: NOTHING_ALLOWED }),
});

/** What a command would get there, as a sheet says it. */
export const commandChips = (confinement: ConfinementState): readonly TermChip[] =>
  buildTermChips(commandTerms(confinement));
