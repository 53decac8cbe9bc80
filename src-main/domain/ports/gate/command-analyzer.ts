import type { Reading } from '../../reading/reading.js';

export interface CommandAnalyzer {
  analyze(command: string, roots?: readonly string[]): Promise<Reading>;
}
