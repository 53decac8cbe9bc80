import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CodeInspector } from '../../domain/ports/sources/code-inspector.js';
import { PinnedCopies } from '../../platform/pinned/pinned-copies.js';
import { createOwnCode } from './own-code.js';

export interface TestCodeParts {
  readonly homes?: () => readonly string[];
  readonly hidden?: () => readonly string[];
  /** Where tools may write. */
  readonly writable?: () => readonly string[];
  /** Where copies are; left out, a folder that goes with the test. */
  readonly copies?: string;
}

/** The code pins as the app builds them. */
export function testOwnCode({ homes, hidden, writable, copies }: TestCodeParts = {}): CodeInspector {
  const isOpen = (path: string): boolean =>
    (writable?.() ?? []).some((folder) => path === folder || path.startsWith(`${folder}/`));
  return createOwnCode({
    own: () => ({ homes: homes?.() ?? [], hidden: hidden?.() ?? [] }),
    mayBeWritten: isOpen,
    copies: new PinnedCopies(copies ?? folderOfTest()),
  });
}

function folderOfTest(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-copies-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
