import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
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

/** Whether what is made at that path is made in the folder: links that stand on the way may lead elsewhere. */
export function staysIn(folder: string, path: string): boolean {
  for (let at = dirname(path); at.length >= folder.length; at = dirname(at)) {
    try {
      return `${realpathSync(at)}/`.startsWith(`${folder}/`);
    } catch {
      // Nothing there yet: what stands above it says where it would be.
    }
  }
  return false;
}
