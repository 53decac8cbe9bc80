import type { Failure } from '#contract/vocabulary/outcomes.js';
import type { JailedPath } from '../../domain/ports/workspace/sandbox.js';
import { ToolFailure } from '../../domain/tool/tool.js';
import type { PathJail, SandboxSettings } from './path-jail.js';

export const settings = (changes: Partial<SandboxSettings> = {}): SandboxSettings => ({
  allowed_roots: ['.'],
  denied_patterns: [],
  allow_absolute: false,
  include_default_denies: true,
  ...changes,
});

export async function failureOf(work: Promise<unknown>): Promise<Failure | null> {
  try {
    await work;
    return null;
  } catch (error) {
    if (error instanceof ToolFailure) return error.failure;
    throw error;
  }
}

export async function contentIn(jail: PathJail, path: JailedPath): Promise<string> {
  await using file = await jail.openFile(path);
  const buffer = Buffer.alloc(64);
  return buffer.subarray(0, await file.read(buffer, 0)).toString();
}
