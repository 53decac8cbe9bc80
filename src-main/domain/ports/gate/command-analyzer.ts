import type { Reading } from '../../commands/reading/reading.js';

export interface CommandAnalyzer {
  analyze(command: string, roots?: readonly string[]): Promise<Reading>;
}
