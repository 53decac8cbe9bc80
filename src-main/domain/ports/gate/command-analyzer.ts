import type { CommandAnalysis } from '../../policy/standing-confirmation.js';

export interface CommandAnalyzer {
  analyze(command: string, roots?: readonly string[]): Promise<CommandAnalysis>;
}
