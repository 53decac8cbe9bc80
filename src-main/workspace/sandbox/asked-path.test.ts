import { describe, expect, it } from 'vitest';
import { ToolFailure } from '../../domain/tool/tool.js';
import { checkAskedPath } from './asked-path.js';

const codeOf = (path: string, allowAbsolute = false, platform: NodeJS.Platform = 'linux'): string | null => {
  try {
    checkAskedPath(path, allowAbsolute, platform);
    return null;
  } catch (error) {
    return error instanceof ToolFailure ? error.failure.code : 'thrown';
  }
};

describe('asked paths', () => {
  it('T-SBX-01 may not step up, with either slash, on any system', () => {
    for (const path of ['..', 'a/..', '../a', 'a/../b', '..\\a', 'a\\..\\b', 'a\\../b']) {
      for (const platform of ['linux', 'darwin', 'win32'] as const) {
        expect(codeOf(path, false, platform), path).toBe('PathOutsideSandbox');
        expect(codeOf(path, true, platform), path).toBe('PathOutsideSandbox');
      }
    }
  });

  it('T-SBX-02 may not be absolute unless that is allowed', () => {
    for (const path of ['/', '/etc/passwd', 'C:\\a', 'c:/a', '\\\\server\\share', '//server/share']) {
      expect(codeOf(path), path).toBe('PathOutsideSandbox');
    }
    expect(codeOf('/etc/passwd', true)).toBeNull();
  });

  it('must be paths', () => {
    for (const path of ['', ' ', '\t\n', 'a\0', '\udc00', 'x'.repeat(4096), 'é'.repeat(2048)]) {
      expect(codeOf(path), JSON.stringify(path.slice(0, 9))).toBe('BadArgs');
    }
    for (const path of ['a', 'a b', 'a\nb', '~', '-rf', 'a:b', 'con', '...', '.a', 'é'.repeat(100)]) {
      expect(codeOf(path), path).toBeNull();
    }
  });

  it('on Windows may name no device and no stream', () => {
    for (const path of ['con', 'NUL', 'a/nul.txt', 'a\\COM1', 'lpt9.log', 'aux ', 'com¹']) {
      expect(codeOf(path, false, 'win32'), path).toBe('SandboxViolation');
    }
    for (const path of ['a:stream', 'a/b::$DATA']) expect(codeOf(path, false, 'win32'), path).toBe('BadArgs');
    for (const path of ['console', 'nulls.txt', 'com10', 'com']) expect(codeOf(path, false, 'win32'), path).toBeNull();
    expect(codeOf('C:\\work\\a', true, 'win32')).toBeNull();
  });
});
